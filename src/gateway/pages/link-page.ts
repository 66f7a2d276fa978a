/**
 * The page behind a link, for a human with a browser: one document that loads nothing from
 * elsewhere. The key stands behind the "#" of the address, which a browser does not send;
 * what is fetched is opened there, and what is sent is sealed there.
 */
import { hash } from 'node:crypto';
import { pageScript } from './link-page-script.ts';
import { sealScript } from './link-page-seal.ts';

const style = `
:root { color-scheme: light dark; --paper: light-dark(#fff, #1b1c1f); --ground: light-dark(#f3f3f0, #121315);
  --ink: light-dark(#1c1d21, #ececec); --soft: light-dark(#5b5e66, #a3a6ad); --line: light-dark(#dcdcd6, #34363b);
  --accent: light-dark(#1a56c4, #8ab4ff); --on-accent: light-dark(#fff, #10131a); --bad: light-dark(#a4161a, #ff9b93); }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 30rem; padding: 1.75rem; background: var(--paper); border: 1px solid var(--line); border-radius: 14px; }
h1 { margin: 0 0 1rem; font-size: 1.3rem; line-height: 1.3; overflow-wrap: anywhere; }
dl { margin: 0 0 1.25rem; }
dl div { display: flex; gap: 1rem; padding: .4rem 0; border-bottom: 1px solid var(--line); }
dt { flex: 0 0 5rem; color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
label { display: block; margin-bottom: .3rem; color: var(--soft); }
input { width: 100%; margin-bottom: 1rem; padding: .6rem; color: inherit; font: inherit; border: 1px dashed var(--line); border-radius: 8px; }
button, .button { display: block; width: 100%; padding: .75rem 1rem; text-align: center; text-decoration: none; font: inherit;
  font-weight: 600; color: var(--on-accent); background: var(--accent); border: 0; border-radius: 8px; cursor: pointer; }
button:disabled { opacity: .55; cursor: progress; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
progress { width: 100%; height: .6rem; margin-top: 1rem; accent-color: var(--accent); }
p { margin: 1rem 0 0; overflow-wrap: anywhere; }
#said { color: var(--soft); } #said:empty { display: none; }
#wrong { color: var(--bad); font-weight: 600; }
`;

const script = `'use strict';${sealScript}${pageScript}`;

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>A file</title>
<style>${style}</style>
</head>
<body>
<main>
<h1 id="title">A file</h1>
<dl id="facts"></dl>
<div id="chooser" hidden><label for="file">The file to send</label><input id="file" type="file"></div>
<button id="act" type="button" hidden>Download</button>
<a id="save" class="button" hidden>Save it again</a>
<progress id="bar" max="1" aria-label="How far it is" hidden></progress>
<p id="said" role="status"></p>
<p id="wrong" role="alert" hidden></p>
<noscript><p>This page opens the file in your browser, and needs JavaScript for that.</p></noscript>
</main>
<script>${script}</script>
</body>
</html>
`;

export interface LinkHtml {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

const page: LinkHtml = {
  html,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    // Exactly this script and this style, and nowhere to go but back where it came from.
    'content-security-policy': [
      "default-src 'none'",
      `script-src '${sourceOf(script)}'`,
      `style-src '${sourceOf(style)}'`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
  },
};

function sourceOf(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`;
}

/** One page for every link: what it shows, it asks for. */
export function linkPage(): LinkHtml {
  return page;
}
