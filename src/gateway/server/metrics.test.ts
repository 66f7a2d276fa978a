import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { countRelay } from './metrics.ts';

test('what the relay counts is shown to Prometheus', async () => {
  const relay = countRelay();
  relay.accepted('message', 2);
  relay.refused('none');
  relay.delivered(2, 3);
  relay.ended('read');
  relay.ended('dead', 'message.no-recipient');
  relay.retried();
  const registry = new Registry();

  relay.showIn(registry, async () => 7);

  const text = await registry.metrics();
  for (const line of [
    'aos_messages_total{kind="message",outcome="accepted"} 2',
    'aos_messages_total{kind="none",outcome="refused"} 1',
    'aos_deliveries_total{state="delivered"} 2',
    'aos_deliveries_total{state="read"} 1',
    'aos_deliveries_total{state="dead"} 1',
    'aos_delivery_latency_seconds_bucket{le="0.005"} 2',
    'aos_delivery_latency_seconds_bucket{le="0.001"} 0',
    'aos_delivery_retries_total 1',
    'aos_dead_letters_total{reason="message.no-recipient"} 1',
    'aos_queue_depth 7',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});

test('a reason in words does not become a label', async () => {
  const relay = countRelay();

  relay.ended('dead', 'Nobody is "x", as far as anybody knows');

  const registry = new Registry();
  relay.showIn(registry, async () => 0);
  expect(await registry.metrics()).toContain('aos_dead_letters_total{reason="other"} 1\n');
});
