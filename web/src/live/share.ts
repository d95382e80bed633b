import { openStream, silence, type Message } from './stream'

/** What tabs say to each other: what the stream said, to one tab or to all, or that a tab has opened. */
type Said = { to?: string; messages: Message[] } | { hello: string }

/**
 * share gives take what the server's event stream says, of which all tabs of a browser have one: the tab that holds
 * the lock of that name listens, and passes on what it hears. Another one takes its place when it closes, is stopped
 * by the browser, or says nothing any more; it then begins anew, with ready. A tab that opens later gets what known
 * returns from the one that listens. Where a browser has no locks (they need https, or this host) a tab has a stream
 * of its own.
 */
export function share(name: string, take: (m: Message) => void, known: () => Message[]): () => void {
  if (!navigator.locks || !('BroadcastChannel' in window)) return openStream(take)
  const me = crypto.randomUUID()
  const channel = new BroadcastChannel(name)
  const ended = new AbortController()
  let listens = false
  let dead: ReturnType<typeof setTimeout> | undefined

  const heard = () => {
    clearTimeout(dead)
    if (!listens && !ended.signal.aborted) dead = setTimeout(() => hold(true), silence + 15_000)
  }
  channel.onmessage = (e: MessageEvent<Said>) => {
    const said = e.data
    if ('hello' in said) {
      if (listens) channel.postMessage({ to: said.hello, messages: known() } satisfies Said)
      return
    }
    if (said.to && said.to !== me) return
    heard()
    for (const m of said.messages) take(m)
  }
  /** hold waits for the lock, or takes it from a tab that says nothing, and listens for as long as it is held. */
  const hold = (steal = false) => {
    const listen = async () => {
      if (ended.signal.aborted) return
      listens = true
      clearTimeout(dead)
      const close = openStream((m) => {
        take(m)
        channel.postMessage({ messages: [m] } satisfies Said)
      })
      stop = () => {
        listens = false
        close()
      }
      await new Promise<void>((done) => ended.signal.addEventListener('abort', () => done()))
      stop()
    }
    // With steal there must be no signal.
    const held = steal ? navigator.locks.request(name, { steal }, listen) : navigator.locks.request(name, { signal: ended.signal }, listen)
    held.catch(() => {
      if (!listens || ended.signal.aborted) return
      stop() // another tab took it
      hold()
    })
  }
  let stop = () => {}
  hold()
  heard()
  channel.postMessage({ hello: me } satisfies Said)
  return () => {
    ended.abort()
    clearTimeout(dead)
    channel.close()
  }
}
