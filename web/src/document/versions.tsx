import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { get, type Schemas } from '../api/client'
import { plural } from '../ui/format'
import { ErrorState, Loading, Section } from '../ui/page'

const minute = (at: string) => at.slice(0, 16).replace('T', ' ')

/** Versions lists the versions of a document, of which the text and what has changed are shown. One that has no other shows nothing. */
export function Versions({ id, ontology }: { id: string; ontology: string }) {
  const base = '/documents/' + encodeURIComponent(id)
  const of = '?ontology=' + encodeURIComponent(ontology)
  const [shown, setShown] = useState(0)
  const list = useQuery({ queryKey: ['document', id, ontology, 'versions'], queryFn: ({ signal }) => get<Schemas['Versions']>(`${base}/versions${of}`, signal) })
  if (!list.data || list.data.total < 2) return null
  return (
    <Section title="Versions">
      <ul className="rows" aria-label="Versions of this document">
        {list.data.versions?.map((v) => (
          <li key={v.version + v.document_id}>
            {v.current ? (
              <span>Version {v.version}, this one</span>
            ) : (
              <button className="link" aria-expanded={shown === v.version} onClick={() => setShown(shown === v.version ? 0 : v.version)}>
                Version {v.version}
              </button>
            )}
            <span className="muted num">
              {minute(v.ingested_at)}
              {v.retired_at && ` to ${minute(v.retired_at)}`} · {plural(v.concepts, 'concept')}
            </span>{' '}
            {!v.current && (
              <a href={`/api/documents/${encodeURIComponent(v.document_id)}/download`} download={v.filename}>
                Download
              </a>
            )}
          </li>
        ))}
      </ul>
      {shown > 0 && <Earlier base={base} of={of} version={shown} />}
    </Section>
  )
}

/** Earlier shows what has changed since a version, and its text. */
function Earlier({ base, of, version }: { base: string; of: string; version: number }) {
  const diff = useQuery({ queryKey: ['document', base, of, 'compare', version], queryFn: ({ signal }) => get<Schemas['Comparison']>(`${base}/compare${of}&version=${version}`, signal) })
  const text = useQuery({ queryKey: ['document', base, of, 'version', version], queryFn: ({ signal }) => get<Schemas['VersionContent']>(`${base}/versions/${version}${of}`, signal) })
  if (diff.isError || text.isError) return <ErrorState error={diff.error ?? text.error} retry={() => void Promise.all([diff.refetch(), text.refetch()])} />
  if (!diff.data || !text.data) return <Loading what="the version" />
  const d = diff.data
  return (
    <>
      <h3>What has changed since version {version}</h3>
      <p className="muted">
        {plural(d.concepts.gained_total, 'concept')} gained, {d.concepts.lost_total} lost; {plural(d.relationships.gained_total, 'relationship')} gained, {d.relationships.lost_total} lost;{' '}
        {plural(d.passages.total, 'passage')} changed
      </p>
      <ul>
        {d.concepts.gained?.map((c) => <li key={'+' + c.id}>+ {c.label}</li>)}
        {d.concepts.lost?.map((c) => <li key={'-' + c.id}>− {c.label}</li>)}
      </ul>
      {d.passages.changes?.map((p, i) => (
        <div key={i} className="change">
          {p.before && <p><del>{p.before.text}</del></p>}
          {p.after && <p><ins>{p.after.text}</ins></p>}
        </div>
      ))}
      <details>
        <summary>The text of version {version}</summary>
        {text.data.text?.map((c) => <pre key={c.paragraph} className="wrap">{c.full_text}</pre>)}
      </details>
    </>
  )
}
