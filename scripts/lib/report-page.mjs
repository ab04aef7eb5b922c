/**
 * Makes one HTML file of Vite's build of a report: style sheet and program as base64 of gzip, and a short script that
 * unpacks them. The content security policy allows these two scripts by their hashes and nothing else, in particular no
 * network.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/**
 * Script that unpacks the page's parts; the program also reads the report's data with it. It may add the style sheet
 * itself; the program runs as a script of the page, which the policy allows by its hash.
 */
const start = `
const reportParts = {
  unpack(id) {
    const element = document.getElementById(id);
    const text = element?.textContent;
    if (!text) throw new Error(\`the file has no part "\${id}": it was cut off or changed\`);
    element.remove();
    return new Response(new Blob([reportParts.bytes(text)]).stream().pipeThrough(new DecompressionStream('gzip')));
  },
  bytes(text) {
    // Browsers of before 2025 don't have it.
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
    return bytes;
  },
  // Without data the page is an interface of MCP Apps: its host has them in a tool's answer. Resolves when they are here.
  fromHost() {
    const tell = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
    return new Promise((resolve, reject) => {
      addEventListener('message', ({ source, data }) => {
        if (source !== parent || typeof data?.jsonrpc !== 'string') return;
        if (data.method === 'ui/notifications/tool-result') {
          const parts = data.params?._meta?.['copyscope/report'];
          document.body.insertAdjacentHTML('beforeend', parts ?? '');
          if (parts) resolve();
          else reject(new Error('This answer has no lanes: it is an error or a later page, or the trace is too large.'));
        } else if (data.method === undefined && data.id === 1) tell({ method: 'ui/notifications/initialized' });
        else if (data.method !== undefined && data.id !== undefined) tell({ id: data.id, result: {} });
      });
      const appInfo = { name: 'copyscope', version: '1' };
      tell({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo, appCapabilities: {} } });
      new ResizeObserver(() => {
        const height = document.documentElement.offsetHeight;
        tell({ method: 'ui/notifications/size-changed', params: { height } });
      }).observe(document.documentElement);
    });
  },
};
const isWhole = document.getElementById('report-document') !== null || parent === window;
const parts = isWhole ? Promise.resolve() : reportParts.fromHost();
parts.catch(({ message }) => (document.querySelector('.report-wait').textContent = message));
const unpacked = () => Promise.all(['style', 'program'].map((part) => reportParts.unpack('report-' + part).text()));
parts.then(unpacked).then(([style, program]) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets.push(sheet);
  const script = document.createElement('script');
  script.textContent = program;
  document.body.append(script);
});
`;

const packed = (text) => gzipSync(text, { level: 9 }).toString('base64');
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const held = (id, text) => `<script type="application/octet-stream" id="report-${id}">${packed(text)}</script>`;

/** Vite's own loads style sheets of a chunk ahead; here there are none. */
const preloadHelper = '\0vite/preload-helper.js';

/** `template` is the page's file; the result is called `fileName`. */
export function reportPage({ template, fileName }) {
  return {
    name: 'copyscope-report-page',
    enforce: 'pre',
    load: (id) => (id === preloadHelper ? 'export const __vitePreload = (load) => load();' : null),
    // After Vite's own plugins, which change the code last of all.
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const files = Object.values(bundle);
        const program = files.find(({ type }) => type === 'chunk');
        const sheet = files.find(({ fileName: name }) => name.endsWith('.css'));
        if (files.length !== 2 || program === undefined || sheet === undefined) {
          const names = files.map(({ fileName: name }) => name).join(', ');
          this.error(`a report is one script and one style sheet, and these were built: ${names}`);
        }
        for (const name of Object.keys(bundle)) delete bundle[name];
        const policy = [
          "default-src 'none'",
          `script-src ${hashOf(start)} ${hashOf(program.code)}`,
          'img-src data: blob:',
          "base-uri 'none'",
          "form-action 'none'",
        ].join('; ');
        const parts = {
          POLICY: policy,
          PARTS: `${held('style', sheet.source)}\n${held('program', program.code)}`,
          START: `<script>${start}</script>`,
        };
        const source = readFileSync(template, 'utf8').replace(/%([A-Z]+)%/g, (mark, name) => parts[name] ?? mark);
        this.emitFile({ type: 'asset', fileName, source });
      },
    },
  };
}
