import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { get, post, request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { textOf } from '../ui/field'
import { count, plural } from '../ui/format'
import { ErrorState, Loading, Section } from '../ui/page'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { share } from '../ui/units'
import { states } from './page'

type File = Schemas['OntologyFile']

/** OnePart is one ontology: what it holds, its measures, what it shares with others, and what can be made of it. */
export function OnePart({ name }: { name: string }) {
  const may = useMay()
  const writes = may('ontologies', 'write')
  const [, go] = useLocation()
  const [ask, dialog] = useAct()
  const path = '/ontology/' + encodeURIComponent(name)
  const one = useRead<Schemas['OntologyDetails']>(path + '?limit=1')
  const scores = useRead<Schemas['OntologyScores']>(path + '/scores')
  const others = useOthers(name)
  const rename = () =>
    ask({
      title: `Rename ${name}`, confirm: 'Rename', text: 'Its jobs are renamed with it.', fields: [{ name: 'name', label: 'New name', required: true, value: name }],
      changes: (v) => (v.name === name ? [] : [`${name} → ${textOf(v.name)}`]),
      run: async (v) => {
        await post(path + '/rename', { new_name: v.name })
        go('/ontologies?name=' + encodeURIComponent(textOf(v.name)), { replace: true })
        return 'The ontology is renamed.'
      },
    })
  const dissolve = async (target: string, dry_run: boolean) => {
    const done = await post<Schemas['DissolveAnswer']>(path + '/dissolve', { target_ontology: target, dry_run })
    if (done.error) throw new Error(done.error)
    return done
  }
  const join = () =>
    ask({
      title: `Dissolve ${name} into another ontology`, confirm: 'See what moves', text: 'All of it moves there, and the name is gone. It can be undone as a proposal.',
      fields: [{ name: 'target', label: 'Into', kind: 'select', required: true, options: others, value: others[0] ?? '' }],
      run: async (v) => {
        const target = textOf(v.target)
        const would = await dissolve(target, true)
        setTimeout(() =>
          ask({
            title: `Move ${plural(would.sources_reassigned, 'chunk')} into ${target}?`, confirm: 'Dissolve', danger: true, text: `${name} is gone then.`,
            run: async () => {
              const done = await dissolve(target, false)
              go('/ontologies?name=' + encodeURIComponent(target), { replace: true })
              return `${plural(done.sources_reassigned, 'chunk')} moved into ${target}.`
            },
          }),
        )
        return null
      },
    })
  const lifecycle = () =>
    ask({
      title: `State of ${name}`, confirm: 'Change', fields: [{ name: 'state', label: 'State', kind: 'select', required: true, value: one.data?.node?.lifecycle_state ?? 'active', options: Object.entries(states) }],
      changes: (v) => (v.state === one.data?.node?.lifecycle_state ? [] : [`${one.data?.node?.lifecycle_state} → ${textOf(v.state)}`]),
      run: async (v) => (await request('PUT', path + '/lifecycle', { state: v.state }), 'The state is changed.'),
    })
  const remove = async () => {
    const { body: would } = await request<Schemas['RemovedOntology']>('DELETE', path + '?dry_run=true')
    ask({
      title: `Delete ${name}?`, confirm: 'Delete the ontology', danger: true,
      text: `${plural(would.sources_deleted, 'chunk')} and ${plural(would.orphaned_concepts_deleted, 'concept')} that nothing else supports go for good; ${plural(would.jobs_cancelled, 'job')} are cancelled.`,
      fields: [{ name: 'keep', label: 'keep the name from being ingested into again', kind: 'check' }, { name: 'typed', label: `Type ${name} to confirm`, required: true }],
      run: async (v) => {
        if (v.typed !== name) throw new Error('That is not its name.')
        await request('DELETE', `${path}?force=true${v.keep ? '&keep_tombstone=true' : ''}`)
        go('/ontologies', { replace: true })
        return 'The ontology is deleted.'
      },
    })
  }
  return (
    <>
      <Part title="What it holds" query={one} aside={
        <span className="actions">
          {writes && <button onClick={rename}>Rename…</button>}
          {writes && others.length > 0 && <button onClick={join}>Dissolve…</button>}
          {writes && <button onClick={lifecycle}>State…</button>}
          {may('ontologies', 'delete') && <button onClick={() => void remove().catch((err: Error) => ask({ title: 'It cannot be deleted', confirm: 'Close', text: err.message, run: async () => null }))}>Delete…</button>}
        </span>
      }>
        {(data) => (
          <dl className="pairs">
            {data.node?.description && (
              <>
                <dt>About</dt>
                <dd>{data.node.description}</dd>
              </>
            )}
            <dt>State</dt>
            <dd>{states[data.node?.lifecycle_state ?? ''] ?? data.node?.lifecycle_state}</dd>
            <dt>Holds</dt>
            <dd>
              {plural(data.statistics.file_count, 'document')}, {plural(data.statistics.source_count, 'chunk')}, {plural(data.statistics.concept_count, 'concept')}, {plural(data.statistics.instance_count, 'quote')}, {plural(data.statistics.relationship_count, 'relationship')}
            </dd>
            {scores.data && (
              <>
                <dt>Mass, coherence, protection</dt>
                <dd>
                  {share(scores.data.mass_score)}, {share(scores.data.coherence_score)}, {share(scores.data.protection_score)}
                </dd>
                <dt>Relationships</dt>
                <dd>
                  {count(scores.data.internal_relationship_count)} within, {count(scores.data.cross_ontology_relationship_count)} to others
                </dd>
              </>
            )}
          </dl>
        )}
      </Part>
      <Shares name={name} />
      <Documents name={name} others={others} />
      <p>
        <Link href="/ontologies">All ontologies</Link>
      </p>
      {dialog}
    </>
  )
}

/** useOthers returns the names of all other ontologies. */
function useOthers(name: string): string[] {
  const list = useRead<Schemas['OntologyList']>('/ontology/')
  return (list.data?.ontologies ?? []).map((o) => o.ontology).filter((o) => o !== name)
}

function Shares({ name }: { name: string }) {
  const affinity = useRead<Schemas['AffinityList']>(`/ontology/${encodeURIComponent(name)}/affinity?limit=10`)
  return (
    <Part title="What it shares with others" query={affinity}>
      {(data) => (
        <Table label="What it shares" rows={data.affinities ?? []} keyOf={(a) => a.other_ontology} empty="It shares no concept with another ontology."
          columns={[
            { head: 'Ontology', cell: (a) => <Link href={'/ontologies?name=' + encodeURIComponent(a.other_ontology)}>{a.other_ontology}</Link>, kind: 'name' },
            { head: 'Concepts in both', cell: (a) => `${count(a.shared_concept_count)} of ${count(a.total_concepts)}`, kind: 'num' },
            { head: 'Share', cell: (a) => share(a.affinity_score), kind: 'num' },
          ]} />
      )}
    </Part>
  )
}

/** Documents lists the documents of an ontology. Those that are chosen are moved to another one, or split off into a new one. */
function Documents({ name, others }: { name: string; others: string[] }) {
  const writes = useMay()('ontologies', 'write')
  const [ask, dialog] = useAct()
  const [chosen, setChosen] = useState<ReadonlyMap<string, File>>(new Map())
  const path = '/ontology/' + encodeURIComponent(name)
  const pages = useInfiniteQuery({
    queryKey: [path + '/files'],
    queryFn: ({ signal, pageParam }) => get<Schemas['FileList']>(`${path}/files?limit=50${pageParam ? '&cursor=' + encodeURIComponent(pageParam) : ''}`, signal),
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })
  const files = pages.data?.pages.flatMap((p) => p.files ?? []) ?? []
  const choose = (f: File, on: boolean) =>
    setChosen((was) => {
      const next = new Map(was)
      if (on) next.set(f.document_id, f)
      else next.delete(f.document_id)
      return next
    })
  const move = () => {
    const source_ids = [...chosen.values()].flatMap((f) => f.source_ids ?? [])
    ask({
      title: `Move ${plural(chosen.size, 'document')} (${plural(source_ids.length, 'chunk')})`, confirm: 'Move', text: 'Into another ontology, or into a new one: the chosen documents are split off then. It can be undone as a proposal.',
      fields: [{ name: 'target', label: 'Into', required: true, options: others }],
      changes: (v) => (v.target ? [`${name}: ${plural(source_ids.length, 'chunk')} fewer`, `${textOf(v.target)}: ${plural(source_ids.length, 'chunk')} more${others.includes(textOf(v.target)) ? '' : '; it is made'}`] : []),
      run: async (v) => {
        const target_ontology = textOf(v.target)
        if (!others.includes(target_ontology)) await post('/ontology/', { name: target_ontology })
        const done = await post<Schemas['ReassignAnswer']>(path + '/reassign', { source_ids, target_ontology })
        if (done.error) throw new Error(done.error)
        setChosen(new Map())
        return `${plural(done.sources_reassigned, 'chunk')} moved into ${target_ontology}.`
      },
    })
  }
  return (
    <Section title="Documents" aside={writes && chosen.size > 0 && <button className="primary" onClick={move}>Move {plural(chosen.size, 'document')}…</button>}>
      {pages.isPending ? <Loading what="documents" /> : pages.error ? <ErrorState error={pages.error} retry={() => void pages.refetch()} /> : (
        <>
          <Table label="Documents" rows={files} keyOf={(f) => f.document_id} empty="It has no document."
            columns={[
              writes && { head: 'Choose', cell: (f) => <input type="checkbox" checked={chosen.has(f.document_id)} onChange={(e) => choose(f, e.target.checked)} aria-label={`Choose ${f.file_path}`} /> },
              { head: 'Document', cell: (f) => <Link href={`/documents/${encodeURIComponent(f.document_id)}?ontology=${encodeURIComponent(name)}`}>{f.file_path}</Link>, kind: 'name' },
              { head: 'Chunks', cell: (f) => count(f.chunk_count), kind: 'num' },
              { head: 'Concepts', cell: (f) => count(f.concept_count), kind: 'num' },
            ]} />
          {pages.hasNextPage && <p><button onClick={() => void pages.fetchNextPage()} disabled={pages.isFetching}>More documents</button></p>}
        </>
      )}
      {dialog}
    </Section>
  )
}
