/** The link page's script: what is behind the link, a button, and what became of it. */
export const pageScript = String.raw`
const at = (id) => document.getElementById(id);
const base = location.pathname.replace(/\/+$/, '');
const gone = 'Nothing is behind this link: it was used up, has expired, or was taken back. Ask whoever sent it for another.';

const say = (words) => { at('said').textContent = words; };
const complain = (words) => {
  at('wrong').textContent = words;
  at('wrong').hidden = words === '';
};

const sizeWords = (bytes) => {
  const units = ['kB', 'MB', 'GB', 'TB'];
  if (bytes < 1000) return bytes + ' B';
  let amount = bytes / 1000;
  let unit = 0;
  while (Number(amount.toFixed(1)) >= 1000 && unit < 3) { amount /= 1000; unit++; }
  return amount.toFixed(1) + ' ' + units[unit];
};

const showFact = (name, value) => {
  const row = document.createElement('div');
  for (const [tag, words] of [['dt', name], ['dd', value]]) {
    row.appendChild(document.createElement(tag)).textContent = words;
  }
  at('facts').append(row);
};

const showProgress = (words, done, total) => {
  const bar = at('bar');
  bar.hidden = false;
  if (total > 0) bar.value = done / total;
  else bar.removeAttribute('value');
  say(words + ' ' + sizeWords(done) + (total > 0 ? ' of ' + sizeWords(total) : ''));
};

// Read anew each time: the user may mend the address while the page is open.
const keyInAddress = () => {
  const text = location.hash.slice(1);
  if (text === '') throw new Refusal('The key is missing: it stands in the link behind a "#". Copy the whole link again.');
  if (!/^[A-Za-z0-9_-]{43}=?$/.test(text)) throw new Refusal(wrongKey);
  return bytesOf(text);
};

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

const check = () => {
  if (!crypto.subtle) throw new Refusal('This browser opens nothing here: the page has to be reached by https, or on the machine itself.');
};

async function* partsOf(stream) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function* counted(source, tell) {
  let done = 0;
  for await (const bytes of source) {
    done += bytes.length;
    tell(done);
    yield bytes;
  }
}

/** As one file, of which the browser keeps on its disk what is too much for memory. */
async function fileOf(source, onPart) {
  const type = 'application/octet-stream';
  let [parts, length, blobs] = [[], 0, []];
  for await (const bytes of source) {
    onPart(bytes);
    parts.push(bytes);
    length += bytes.length;
    if (length < 16 * 2 ** 20) continue;
    blobs.push(new Blob(parts, { type }));
    [parts, length] = [[], 0];
  }
  return new Blob([...blobs, ...parts], { type });
}

async function download(facts) {
  const dek = facts.sealed ? keyInAddress() : undefined;
  const answer = await fetch(base + '/bytes');
  if (!answer.ok) throw new Refusal(answer.status === 404 ? gone : await problemOf(answer));
  const total = facts.stored_bytes ?? 0;
  const bytes = counted(partsOf(answer.body), (done) => showProgress('Receiving', done, total));
  const hash = new Sha256();
  const file = await fileOf(dek === undefined ? bytes : opened(dek, bytes), (part) => hash.update(part));
  if (facts.sha256 !== null && hash.hex() !== facts.sha256) {
    throw new Refusal('The file is not what was sent, and was not kept.');
  }
  offer(file, facts.filename ?? 'file');
}

function offer(file, name) {
  const save = at('save');
  save.href = URL.createObjectURL(file);
  save.download = name;
  save.hidden = false;
  at('act').hidden = true;
  say('It is whole, ' + sizeWords(file.size) + ', and just as it was sent.');
  save.click();
  save.focus();
}

async function problemOf(answer) {
  const problem = await answer.json().catch(() => ({}));
  return problem.detail ? problem.detail + '.' : 'The daemon answered ' + answer.status + '.';
}

async function upload(facts) {
  const dek = keyInAddress();
  const [file] = at('file').files;
  if (file === undefined) throw new Refusal('Choose a file first.');
  if (facts.most_bytes !== null && file.size > facts.most_bytes) {
    throw new Refusal('The file has ' + sizeWords(file.size) + ', and the link takes at most ' + sizeWords(facts.most_bytes) + '.');
  }
  const hash = new Sha256();
  const read = counted(partsOf(file.stream()), (done) => showProgress('Sealing', done, file.size));
  const plain = (async function* () {
    for await (const bytes of read) { hash.update(bytes); yield bytes; }
  })();
  const body = await fileOf(sealed(dek, plain), () => {});
  const query = new URLSearchParams({ filename: file.name, sha256: hash.hex() });
  const { recipient } = await post(base + '/bytes?' + query, body);
  for (const id of ['act', 'chooser']) at(id).hidden = true;
  say('Sent: ' + file.name + ' (' + sizeWords(file.size) + ') is with ' + recipient + '. You can close this page.');
}

/** By the old way, because only that one tells how far it is. */
function post(address, body) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', address);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded }) => showProgress('Sending', loaded, body.size);
    request.onerror = () => reject(new Refusal('The daemon cannot be reached. Try again: the link still works.'));
    request.onload = () => {
      if (request.status < 300) return resolve(request.response);
      const detail = request.response?.detail;
      reject(new Refusal(request.status === 404 ? gone : (detail ?? 'The daemon answered ' + request.status) + '.'));
    };
    request.send(body);
  });
}

async function act(facts) {
  const button = at('act');
  button.disabled = true;
  complain('');
  try {
    await (facts.kind === 'upload' ? upload(facts) : download(facts));
  } catch (failure) {
    say('');
    complain(failure instanceof Refusal ? failure.message : 'It was cut off. Try again.');
  }
  at('bar').hidden = true;
  button.disabled = false;
}

function show(facts) {
  const isUpload = facts.kind === 'upload';
  at('title').textContent = isUpload ? 'Send a file to ' + facts.recipient : (facts.filename ?? 'A file for you');
  document.title = at('title').textContent;
  if (isUpload) showFact('At most', sizeWords(facts.most_bytes ?? 0));
  else showFact('Size', sizeWords(facts.file_size_bytes ?? 0));
  showFact('Until', new Date(facts.expires_at).toLocaleString());
  showFact(isUpload ? 'Takes' : 'Opens', facts.uses_left === 1 ? (isUpload ? 'one file' : 'once') : facts.uses_left + ' times');
  if (isUpload || facts.sealed) showFact('Sealed', 'yes: it is ' + (isUpload ? 'closed' : 'opened') + ' in this browser, and the key is sent nowhere');
  at('chooser').hidden = !isUpload;
  at('act').textContent = isUpload ? 'Send' : 'Download';
  at('act').hidden = false;
  at('act').onclick = () => act(facts);
}

/** Before the link is used up. */
async function tryKey(facts) {
  if (facts.kind === 'download' && !facts.sealed) return;
  check();
  const dek = keyInAddress();
  if (typeof facts.header === 'string') await openingOf(dek, bytesOf(facts.header));
}

async function begin() {
  complain('');
  say('');
  at('facts').replaceChildren();
  try {
    const answer = await fetch(base + '/facts');
    if (!answer.ok) throw new Refusal(answer.status === 404 ? gone : await problemOf(answer));
    const facts = await answer.json();
    show(facts);
    await tryKey(facts);
  } catch (failure) {
    at('act').hidden = true;
    at('chooser').hidden = true;
    complain(failure instanceof Refusal ? failure.message : 'The daemon cannot be reached. Try again in a moment.');
  }
}

addEventListener('hashchange', begin);
begin();
`;
