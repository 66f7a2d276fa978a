/** What is likely to mean something to the gateway: names, ids that it gave, ways to write things. */
import type { Dice } from '../../sim/dice.ts';

const mostOfAKind = 200;

/** Grows with what is answered, so that later requests are about things that are there. */
export class Words {
  readonly #known = new Map<string, string[]>(
    Object.entries({
      agent: ['ada', 'ada', 'ada', 'bob', 'bob', 'carl', 'Ada', 'owner'],
      mayfly: [],
      capability: [
        ...['file:/srv/*:read', 'message:*:send', 'http:example.com/*:get', 'tool:*:call'],
        ...['transfer:*:send', 'secret:*:use', 'file:/srv/a:read{max:5}', 'operation:*:start'],
        ...['message:bob:send', 'file:/srv/a:read', 'transfer:bob:send', 'tool:file.read:call'],
        ...['capability://file/srv/*?action=read', 'agent:*:inspect', 'file:/srv/*:read,write'],
      ],
      resource: ['file:/srv/a', 'message:bob', 'https://example.com/a', 'tool:file.read'],
      action: ['read', 'send', 'get', 'call', 'write'],
      event_type: ['order.made', 'order.*', 'a'],
      channel: ['news', 'all', 'a-b'],
      model: ['scripted:/nowhere.json', 'anthropic:none', 'ollama:none', 'none:none'],
      budget: ['tokens=1000', 'cost=0.50', 'wall=10m', 'tool_calls=20', 'children=2'],
      secret: ['shop.key', 'other'],
      path: ['/srv/a'],
      kind: ['agent.registered', 'agent.*', 'message.sent'],
      mime: ['text/plain', 'application/json'],
      filename: ['a.txt', 'july report.md', '*.md'],
      artifact: ['a.txt', 'a.txt', 'b/c.txt'],
      grantee: ['0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1'],
    }),
  );

  /** Undefined when nothing of that kind is known yet. */
  one(dice: Dice, kind: string): string | undefined {
    return dice.oneOf(this.#known.get(kind) ?? []);
  }

  add(kind: string, word: string): void {
    const known = this.#known.get(kind) ?? [];
    if (known.length === 0) this.#known.set(kind, known);
    if (known.includes(word)) return;
    if (known.length < mostOfAKind) known.push(word);
    // The newest are the likeliest to be in a state in which something can be done.
    else known[word.length % mostOfAKind] = word;
  }

  /** Remembers what an answer has names for. */
  learn(operation: string, tag: string, answer: unknown): void {
    if (typeof answer !== 'object' || answer === null) return;
    for (const [key, value] of Object.entries(answer)) {
      if (typeof value === 'string') this.#learnOne(operation, tag, key, value);
      else if (Array.isArray(value))
        for (const one of value.slice(0, 5)) this.learn(operation, tag, one);
      else this.learn(operation, tag, value);
    }
  }

  #learnOne(operation: string, tag: string, key: string, value: string): void {
    if (key === 'id' || key === 'call_id') this.add(idsOf(operation, tag), value);
    if (key === 'approval') this.add('id approvals', value);
    if (key === 'operation') this.add('id goals', value);
    if (key === 'upload') this.add('id uploads', value);
    if (key === 'hash') this.add('hash', value);
    if (key === 'name' && operation === 'register') this.add('mayfly', value);
    if (key === 'name' && operation === 'tools') this.add('tool', value);
    if (key === 'path' && tag === 'transfers') {
      const [, token] = /^\/l\/([\w-]+)/.exec(value) ?? [];
      if (token !== undefined) this.add('token', token);
    }
  }
}

/** Things of several kinds share a tag, and each kind has ids of its own. */
function idsOf(operation: string, tag: string): string {
  if (/link/i.test(operation)) return 'id links';
  if (/approv|deny/i.test(operation)) return 'id approvals';
  return `id ${tag}`;
}

/** Which of them stand in a path. */
export function idsIn(path: string, tag: string): string {
  const [, kind] = /\/(links|uploads|approvals)\/\{id\}/.exec(path) ?? [];
  return `id ${kind ?? tag}`;
}
