import { setNonce } from 'get-nonce'

/** The nonce the server put into the page; style elements made at run time must carry it. */
export function cspNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
}

/** For the scroll lock of dialogs, which makes its own style element and asks this package. */
export function shareCspNonce() {
  setNonce(cspNonce())
}
