import { defaultScheduler, notifyManager } from '@tanstack/react-query'

/**
 * A click counts only if the release hits what the press has hit. News that move the page in between
 * would take the click away, so they are shown once the pointer is released.
 */
const CONTROLS = 'a, button, input, label, select, summary'
/** A press that is longer, or whose end nobody sees, holds nothing up any more. */
const HOLD_MS = 5_000
/** The click of a finger comes a moment after its release. */
const CLICK_MS = 100

/** Holds back what queries tell the page while a control is pressed. Returns the way to end that. */
export function holdWhilePressed(): () => void {
  let waiting: (() => void)[] = []
  let isPressed = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function release() {
    clearTimeout(timer)
    isPressed = false
    const due = waiting
    waiting = []
    for (const tell of due) tell()
  }
  function releaseIn(ms: number) {
    clearTimeout(timer)
    timer = setTimeout(release, ms)
  }
  function onPress({ target }: Event) {
    if (!(target instanceof Element) || target.closest(CONTROLS) === null) return
    isPressed = true
    releaseIn(HOLD_MS)
  }
  const whilePressed = (then: () => void) => () => {
    if (isPressed) then()
  }
  const listeners: [string, (event: Event) => void][] = [
    ['pointerdown', onPress],
    ['pointerup', whilePressed(() => releaseIn(CLICK_MS))],
    ['click', whilePressed(() => releaseIn(0))],
    ['pointercancel', whilePressed(release)],
  ]

  // Captured: whoever handles a press may stop it on its way.
  for (const [name, listener] of listeners) window.addEventListener(name, listener, true)
  notifyManager.setScheduler((tell) => {
    if (isPressed) waiting.push(tell)
    else defaultScheduler(tell)
  })
  return () => {
    for (const [name, listener] of listeners) window.removeEventListener(name, listener, true)
    notifyManager.setScheduler(defaultScheduler)
    release()
  }
}
