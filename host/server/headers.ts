/** Headers of every answer of the server. */

/**
 * Returns the policy: the page may load only from this server. Inline styles are allowed, since the component library
 * sets its theme in a style element and positions in style attributes. Inline scripts and evaluated code are not.
 */
function contentSecurityPolicy(port: number | string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self' ws://127.0.0.1:${port} ws://localhost:${port}`,
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

export const securityHeaders = (port: number | string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': contentSecurityPolicy(port),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  // Together with the header above this lets workers of the page share the memory of a run instead of copying it.
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), usb=()',
  'Cache-Control': 'no-cache',
});
