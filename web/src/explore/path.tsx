import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { Link } from 'wouter'
import { post, type Schemas } from '../api/client'
import { plural } from '../ui/format'
import { Empty, ErrorState, Loading, Section } from '../ui/page'
import { hrefOf } from './drawer'
import { filterOf, type Address } from './graph'

const pathsShown = 5
const longest = 6 // relationships of a path

/** usePaths finds the shortest paths between the two concepts of the address, with the sentences that state them. */
export const usePaths = (at: Address) =>
  useQuery({
    queryKey: ['paths', at.from, at.to, filterOf(at)],
    queryFn: ({ signal }) => post<Schemas['ConnectResult']>('/query/connect', { from_id: at.from, to_id: at.to, max_hops: longest, limit: pathsShown, include_evidence: true, ...filterOf(at) }, signal),
    enabled: at.from !== '' && at.to !== '',
  })

/** Paths lists paths, each step with the sentence that states it. */
export function Paths({ found, close, onOpen }: { found: ReturnType<typeof usePaths>; close: () => void; onOpen: (id: string) => void }) {
  const paths = found.data?.paths ?? []
  const ends = paths[0]?.nodes ?? []
  return (
    <Section title={paths.length > 0 ? `${plural(paths.length, 'path')} from ${ends[0]?.label} to ${ends.at(-1)?.label}` : 'Path'} aside={<button onClick={close}>Close the path</button>}>
      {found.isPending ? (
        <Loading what="paths" />
      ) : found.error ? (
        <ErrorState error={found.error} retry={() => void found.refetch()} />
      ) : paths.length === 0 ? (
        <Empty title={`No path of at most ${longest} relationships connects them.`}>Filters that are set leave relationships out of paths too.</Empty>
      ) : (
        <ol className="paths">
          {paths.map((p, i) => (
            <li key={i}>
              <details open={i === 0}>
                <summary>{(p.nodes ?? []).map((n) => n.label).join(' – ')}</summary>
                <ol>{(p.relationships ?? []).map((_, k) => <li key={k}><Step path={p} at={k} onOpen={onOpen} /></li>)}</ol>
              </details>
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}

function Step({ path, at, onOpen }: { path: Schemas['Path']; at: number; onOpen: (id: string) => void }) {
  const nodes = path.nodes ?? []
  const [from, to] = path.forward?.[at] ?? true ? [nodes[at]!, nodes[at + 1]!] : [nodes[at + 1]!, nodes[at]!]
  const evidence = (path.relationship_evidence?.[at] ?? []) as Schemas['EdgeEvidence'][] | null
  return (
    <>
      <button className="link" onClick={() => onOpen(from.id)}>{from.label}</button> <span className="muted">{path.relationships![at]!.toLowerCase().replaceAll('_', ' ')}</span> <button className="link" onClick={() => onOpen(to.id)}>{to.label}</button>
      <ul>
        {(evidence ?? []).slice(0, 3).map((q) => (
          <li key={q.source_id + q.start_byte}>“{q.quote}” <Link href={hrefOf(q)}>{q.filename ?? 'document'}</Link></li>
        ))}
      </ul>
    </>
  )
}

/** PathTo asks to which concept a path is to lead. */
export function PathTo({ choose }: { choose: (id: string) => void }) {
  const [asked, setAsked] = useState('')
  const found = useQuery({ queryKey: ['concepts', asked, 'path'], queryFn: ({ signal }) => post<Schemas['SearchResult']>('/query/search', { query: asked, limit: 8 }, signal), enabled: asked !== '' })
  const search = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault()
    setAsked(String(new FormData(e.currentTarget).get('to')).trim())
  }
  return (
    <details>
      <summary>Find a path to another concept</summary>
      <form className="search" onSubmit={search}>
        <input name="to" type="search" aria-label="To which concept" placeholder="To which concept" maxLength={1000} required />
        <button>Find</button>
      </form>
      {found.error && <ErrorState error={found.error} retry={() => void found.refetch()} />}
      {found.data && (found.data.results ?? []).length === 0 && <Empty title="No concept is like that." />}
      <ul className="rows">
        {(found.data?.results ?? []).map((c) => (
          <li key={c.concept_id}>
            <button className="link" onClick={() => choose(c.concept_id)}>{c.label}</button>
            <span className="muted">{c.documents?.join(', ')}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
