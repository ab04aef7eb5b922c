/**
 * Makes one HTML file of what Vite has built for a report: style sheet and program as base64 of gzip, and a short script that
 * unpacks them. The content security policy allows the two scripts by their hashes and nothing else, no network above all.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/**
 * Unpacks style sheet and program. The sheet is made by script, which needs no leave; the program runs as a script of the page,
 * which the policy allows by its hash.
 */
const start = `
const unpacked = (id) => {
  const element = document.getElementById(id);
  const bytes = Uint8Array.from(atob(element.textContent), (sign) => sign.charCodeAt(0));
  element.remove();
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
};
Promise.all([unpacked('report-style'), unpacked('report-program')]).then(([style, program]) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets.push(sheet);
  const script = document.createElement('script');
  script.type = 'module';
  script.textContent = program;
  document.body.append(script);
});
`;

const packed = (text) => gzipSync(text, { level: 9 }).toString('base64');
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** `template` is the page's file; the result is called `fileName`. */
export function reportPage({ template, fileName }) {
  return {
    name: 'copyscope-report-page',
    enforce: 'post',
    // After Vite's own plugins, which change the code last of all.
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const files = Object.values(bundle);
        const scripts = files.filter(({ type }) => type === 'chunk');
        const sheets = files.filter(({ fileName: name }) => name.endsWith('.css'));
        if (scripts.length !== 1 || sheets.length !== 1 || files.length !== 2) {
          const names = files.map(({ fileName: name }) => name).join(', ');
          this.error(`a report is one script and one style sheet, and these were built: ${names}`);
        }
        const [program, style] = [scripts[0].code, String(sheets[0].source)];
        for (const name of Object.keys(bundle)) delete bundle[name];
        const policy = [
          "default-src 'none'",
          `script-src ${hashOf(program)} ${hashOf(start)}`,
          'img-src data: blob:',
          "base-uri 'none'",
          "form-action 'none'",
        ].join('; ');
        const parts = {
          POLICY: policy,
          STYLE: packed(style),
          PROGRAM: packed(program),
          START: `<script>${start}</script>`,
        };
        const source = readFileSync(template, 'utf8').replace(/%([A-Z]+)%/g, (mark, name) => parts[name] ?? mark);
        this.emitFile({ type: 'asset', fileName, source });
      },
    },
  };
}
