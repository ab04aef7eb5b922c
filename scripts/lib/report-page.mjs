/**
 * Makes one HTML file of Vite's build of a report: style sheet and scripts as base64 of gzip, and a short script that
 * unpacks them. The content security policy allows these scripts by their hashes and nothing else, in particular no
 * network. Code that the program imports on demand stays packed until then (report-scripts.mjs).
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { scriptsOf } from './report-scripts.mjs';

/**
 * Script that unpacks the page's parts; the program also reads the report's data with it. It may add the style sheet
 * itself; other scripts run as scripts of the page, which the policy allows by their hashes.
 */
const startOf = (first) => `
const reportParts = {
  /** What the scripts that have run export, by their names. */
  exports: {},
  loads: {},
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
  run(text) {
    const script = document.createElement('script');
    script.textContent = text;
    document.body.append(script);
  },
  /** Runs scripts in this order, each once, and gives what the last one exports. */
  async load(...names) {
    for (const name of names) {
      reportParts.loads[name] ??= reportParts.unpack('report-' + name).text().then(reportParts.run);
      await reportParts.loads[name];
    }
    return reportParts.exports[names.at(-1)];
  },
};
reportParts.unpack('report-style').text().then((style) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets.push(sheet);
  return reportParts.load(...${JSON.stringify(first)});
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
        const chunks = files.filter(({ type }) => type === 'chunk');
        const sheets = files.filter(({ fileName: name }) => name.endsWith('.css'));
        if (sheets.length !== 1 || files.length !== chunks.length + 1) {
          const names = files.map(({ fileName: name }) => name).join(', ');
          this.error(`a report is scripts and one style sheet, and these were built: ${names}`);
        }
        for (const name of Object.keys(bundle)) delete bundle[name];
        const { scripts, first } = scriptsOf(chunks);
        const start = startOf(first);
        const policy = [
          "default-src 'none'",
          `script-src ${[start, ...scripts.values()].map(hashOf).join(' ')}`,
          'img-src data: blob:',
          "base-uri 'none'",
          "form-action 'none'",
        ].join('; ');
        const parts = {
          POLICY: policy,
          PARTS: [held('style', sheets[0].source), ...[...scripts].map(([name, text]) => held(name, text))].join('\n'),
          START: `<script>${start}</script>`,
        };
        const source = readFileSync(template, 'utf8').replace(/%([A-Z]+)%/g, (mark, name) => parts[name] ?? mark);
        this.emitFile({ type: 'asset', fileName, source });
      },
    },
  };
}
