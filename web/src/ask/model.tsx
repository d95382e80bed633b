import { useEffect, useRef, useState } from 'react'
import { Problem, type Schemas } from '../api/client'
import { stream } from '../api/sse'
import { useMay } from '../signin/session'
import { Section } from '../ui/page'
import { PassageLink } from './passage'

interface Offer {
  model: string
  cost_at_most_usd: number
}
interface Sentence {
  text: string
  passages: number[] // of the answer, from 1
}
interface End {
  answered: boolean
  sentences_dropped: number
  cut: boolean
  cost_usd: number
}
interface Said {
  state: 'offering' | 'offered' | 'answering' | 'ended' | 'none' | 'failed'
  offer?: Offer
  passages: Schemas['AskPassage'][]
  sentences: Sentence[]
  end?: End
  error?: string
}

const dollars = (n: number) => (n === 0 ? 'free' : n < 0.01 ? 'less than 1 ¢' : '$' + n.toFixed(2))

/** ModelAnswer has a model answer a question from its passages, sentence by sentence, each with the passages that say it. The price comes first. Without a model, or without the right to pay for one, there is nothing. */
export function ModelAnswer({ asked }: { asked: string }) {
  const may = useMay()
  const [said, setSaid] = useState<Said>({ state: 'offering', passages: [], sentences: [] })
  const ended = useRef<AbortController>(null)
  const pays = may('ingest', 'create')

  const ask = async (offerOnly: boolean) => {
    ended.current?.abort()
    const end = (ended.current = new AbortController())
    const change = (part: (s: Said) => Partial<Said>) => !end.signal.aborted && setSaid((s) => ({ ...s, ...part(s) }))
    try {
      for await (const t of stream('POST', '/query/ask/answer', end.signal, { question: asked, limit: 10, offer_only: offerOnly })) {
        const data = JSON.parse(t.data) as never
        if (t.event === 'passages') change(() => ({ passages: (data as Schemas['AskAnswer']).passages ?? [] }))
        else if (t.event === 'offer') change(() => ({ offer: data, ...(offerOnly && { state: 'offered' as const }) }))
        else if (t.event === 'sentence') change((s) => ({ sentences: [...s.sentences, data] }))
        else if (t.event === 'end') change(() => ({ state: 'ended', end: data }))
        else if (t.event === 'error') change(() => ({ state: 'failed', error: (data as { detail: string }).detail }))
      }
    } catch (err) {
      // 501: the server has no model.
      change(() => (offerOnly && err instanceof Problem && err.status === 501 ? { state: 'none' } : { state: 'failed', error: (err as Error).message }))
    }
  }
  useEffect(() => {
    if (pays) void ask(true)
    return () => ended.current?.abort()
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for a question
  }, [asked])

  if (!pays || said.state === 'offering' || said.state === 'none' || (said.state === 'failed' && !said.offer)) return null
  const answer = () => {
    setSaid((s) => ({ ...s, state: 'answering', sentences: [] }))
    void ask(false)
  }
  return (
    <Section title="In the words of a model" aside={said.offer && <span className="muted">{said.offer.model}</span>}>
      {said.state === 'offered' && said.offer && (
        <button className="primary" onClick={answer}>Answer in sentences (at most {dollars(said.offer.cost_at_most_usd)})</button>
      )}
      <p aria-live="polite" aria-busy={said.state === 'answering'}>
        {said.sentences.map((s, i) => (
          <span key={i}>
            {s.text}{' '}
            {s.passages.map((n) => {
              const p = said.passages[n - 1]
              return p && <sup key={n}><PassageLink passage={p}>{n}</PassageLink> </sup>
            })}
          </span>
        ))}
        {said.state === 'answering' && <span className="muted">…</span>}
      </p>
      {said.state === 'ended' && said.end && (
        <p className="muted">
          {said.end.answered ? 'Each sentence names the passages that it is taken from.' : 'The passages do not answer it, says the model.'}
          {said.end.sentences_dropped > 0 && ` ${said.end.sentences_dropped} left out: no passage says so.`}
          {said.end.cut && ' The answer was cut at its longest.'} It cost {dollars(said.end.cost_usd)}.
        </p>
      )}
      {said.state === 'failed' && <p className="error" role="alert">{said.error}</p>}
    </Section>
  )
}
