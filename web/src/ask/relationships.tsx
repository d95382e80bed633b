import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import type { Schemas } from '../api/client'
import { Loading } from '../ui/page'

// What draws is loaded when somebody wants to see it.
const Picture = lazy(() => import('../explore/small'))

const listed = 12 // relationships

/** Relationships are those among the concepts of an answer, as sentences and, when it is asked for, as a small picture. */
export function Relationships({ answer }: { answer: Schemas['AskAnswer'] }) {
  const [, go] = useLocation()
  const [drawn, setDrawn] = useState(false)
  const list = answer.relationships ?? []
  if (list.length === 0) return null
  return (
    <>
      <ul>
        {list.slice(0, listed).map((r) => (
          <li key={r.from_id + r.relationship_type + r.to_id}>
            {r.from_label} <span className="muted">{r.relationship_type.toLowerCase().replaceAll('_', ' ')}</span> {r.to_label}
          </li>
        ))}
      </ul>
      <details onToggle={(e) => setDrawn(e.currentTarget.open)}>
        <summary>As a picture</summary>
        {drawn && (
          <Suspense fallback={<Loading what="the picture" />}>
            <Picture concepts={answer.concepts ?? []} relationships={list} onOpen={(id) => go(`/explore?c=${encodeURIComponent(id)}&open=${encodeURIComponent(id)}`)} />
          </Suspense>
        )}
      </details>
    </>
  )
}
