/**
 * The sub-path at which a proxy shows the console: "" or "/…", without a slash at the end. The
 * server puts it into the page; the development server leaves the placeholder there.
 */
export function rootPath(): string {
  if (typeof document === 'undefined') return ''
  const said = document.querySelector<HTMLMetaElement>('meta[name="root-path"]')?.content ?? ''
  return said.startsWith('/') ? said : ''
}

/** How the browser reaches the server, as agents and scripts can write it. */
export function serverUrl(): string {
  return typeof window === 'undefined' ? '' : window.location.origin + rootPath()
}
