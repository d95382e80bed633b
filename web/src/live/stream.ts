/** What comes of the server's event stream: an event, or that nothing is heard any more. */
export type Message = { event: string; text: string } | { event: 'lost' }

const events = ['ready', 'snapshot', 'status', 'progress', 'completed', 'failed', 'cancelled', 'error', 'keepalive', 'lane'] as const

/** In ms: after which a connection that says nothing is dead. */
export const silence = 45_000

/** openStream listens to the server, and connects again whenever nothing is heard, until what it returns is called. */
export function openStream(take: (m: Message) => void): () => void {
  let source: EventSource | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let dead: ReturnType<typeof setTimeout> | undefined
  let wait = 500

  const lost = () => {
    source?.close()
    clearTimeout(dead)
    take({ event: 'lost' })
    clearTimeout(again)
    again = setTimeout(connect, wait * (0.5 + Math.random()))
    wait = Math.min(wait * 2, 8_000)
  }
  const heard = () => {
    clearTimeout(dead)
    dead = setTimeout(lost, silence)
  }
  const connect = () => {
    const own = new EventSource('/api/events') // all jobs, and all lanes to those who may see them
    source = own
    own.onerror = () => source === own && lost()
    for (const event of events)
      own.addEventListener(event, (e) => {
        if (!(e instanceof MessageEvent)) return
        const text = e.data as string
        heard()
        if (event === 'ready') wait = 500
        // An error without a job: the session has ended, or the server leaves.
        if (event === 'error' && !(JSON.parse(text) as { job_id?: string }).job_id) return lost()
        take({ event, text })
      })
    heard()
  }
  connect()
  return () => {
    source?.close()
    for (const timer of [again, dead]) clearTimeout(timer)
  }
}
