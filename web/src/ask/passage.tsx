import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Schemas } from '../api/client'
import { words } from '../ui/marks'

type Passage = Schemas['AskPassage']

/** PassageLink leads to the sentence of a passage that answers, in its document. */
export function PassageLink({ passage: p, children }: { passage: Passage; children: ReactNode }) {
  const best = p.sentence ?? p
  return <Link href={`/documents/${encodeURIComponent(p.document_id)}?ontology=${encodeURIComponent(p.document)}&bytes=${best.start_byte}-${best.end_byte}`}>{children}</Link>
}

/** PassageView shows a passage: the sentence that answers stands out, and the words of the question are marked. */
export function PassageView({ passage: p, asked }: { passage: Passage; asked: string }) {
  const sentence = p.sentence?.text
  const at = sentence ? p.text.indexOf(sentence) : -1
  const parts = at < 0 ? [{ text: p.text, best: false }] : [
    { text: p.text.slice(0, at), best: false }, { text: p.text.slice(at, at + sentence!.length), best: true }, { text: p.text.slice(at + sentence!.length), best: false },
  ]
  const best = p.sentence ?? p
  const place = [p.section, p.page ? `page ${p.page}` : ''].filter(Boolean).join(', ')
  return (
    <article className="card">
      <p className="passage">
        {parts.map((part, i) => {
          const marked = words(part.text, asked).map((w, k) => (w.hit ? <mark key={k}>{w.text}</mark> : w.text))
          return part.best ? <strong key={i}>{marked}</strong> : <span key={i}>{marked}</span>
        })}
      </p>
      <p className="muted">
        <PassageLink passage={p}>{p.filename}</PassageLink>
        {place && ` · ${place}`} · bytes {best.start_byte}–{best.end_byte}
      </p>
    </article>
  )
}
