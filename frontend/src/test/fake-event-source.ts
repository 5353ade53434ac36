/** Stands in for the browser's EventSource; a test speaks through it. */
export class FakeEventSource extends EventTarget {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static readonly CLOSED = 2
  static opened: FakeEventSource[] = []

  readyState = FakeEventSource.OPEN
  readonly url: string

  constructor(url: string) {
    super()
    this.url = url
    FakeEventSource.opened.push(this)
  }

  static reset() {
    FakeEventSource.opened = []
  }

  static get last(): FakeEventSource {
    const source = FakeEventSource.opened.at(-1)
    if (!source) throw new Error('no stream was opened')
    return source
  }

  say(event: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }))
  }

  fail(readyState: number) {
    this.readyState = readyState
    this.dispatchEvent(new Event('error'))
  }

  close() {
    this.readyState = FakeEventSource.CLOSED
  }
}
