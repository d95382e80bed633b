import { Link, useLocation, useSearchParams } from 'wouter'
import { del, post, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { filled } from '../ui/field'
import { count } from '../ui/format'
import { Empty, Page } from '../ui/page'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { Tabs } from '../ui/tabs'
import { instant, share } from '../ui/units'
import { OnePart } from './one'
import { ProposalPart, ProposalsTab } from './proposals'

export const states: Record<string, string> = { active: 'active', pinned: 'pinned: it stays as it is', frozen: 'frozen: it takes nothing new' }

/** OntologiesPage lists the ontologies with their measures, one of them with what can be made of it, and the proposals. */
export default function OntologiesPage() {
  const [at] = useLocation()
  const [search] = useSearchParams()
  const name = search.get('name')
  const id = Number(search.get('id') ?? 0)
  return (
    <Page title={at === '/ontologies' && name ? name : 'Ontologies'}>
      <Tabs label="Ontologies" tabs={[['/ontologies', 'Ontologies'], ['/ontologies/proposals', 'Proposals'], ['/ontologies/blocked', 'Blocked names']]} />
      {at === '/ontologies' ? name ? <OnePart key={name} name={name} /> : <List /> : at === '/ontologies/proposals' ? id ? <ProposalPart key={id} id={id} /> : <ProposalsTab /> : at === '/ontologies/blocked' ? <Blocked /> : (
        <Empty title="There is no page at this address.">Choose one above.</Empty>
      )}
    </Page>
  )
}

function List() {
  const may = useMay()
  const [ask, dialog] = useAct()
  const list = useRead<Schemas['OntologyList']>('/ontology/')
  const scores = useRead<Schemas['OntologyScoreList']>('/ontology/scores')
  const of = (name: string) => scores.data?.scores?.find((s) => s.ontology === name)
  const create = () =>
    ask({ title: 'New ontology', confirm: 'Make it', fields: [{ name: 'name', label: 'Name', required: true }, { name: 'description', label: 'What it is about' }], run: async (v) => (await post('/ontology/', filled(v)), 'The ontology is made.') })
  const score = () => ask({ title: 'Measure all ontologies now?', confirm: 'Measure', run: async () => (await post('/ontology/scores'), 'They are measured.') })
  return (
    <>
      <Part title="All ontologies" query={list} aside={
        <span className="actions">
          {may('ontologies', 'write') && <button onClick={score}>Measure now…</button>}
          {may('ontologies', 'create') && <button className="primary" onClick={create}>New ontology…</button>}
        </span>
      }>
        {(data) => (
          <Table label="Ontologies" rows={data.ontologies ?? []} keyOf={(o) => o.ontology_id} empty="There is no ontology yet." more="It is made when a document is ingested into it."
            columns={[
              { head: 'Ontology', cell: (o) => <Link href={'/ontologies?name=' + encodeURIComponent(o.ontology)}>{o.ontology}</Link>, kind: 'name' },
              { head: 'Documents', cell: (o) => count(o.file_count), kind: 'num' },
              { head: 'Chunks', cell: (o) => count(o.source_count), kind: 'num' },
              { head: 'Concepts', cell: (o) => count(o.concept_count), kind: 'num' },
              { head: 'Mass', cell: (o) => share(of(o.ontology)?.mass_score), kind: 'num' },
              { head: 'Coherence', cell: (o) => share(of(o.ontology)?.coherence_score), kind: 'num' },
              { head: 'Protection', cell: (o) => share(of(o.ontology)?.protection_score), kind: 'num' },
              { head: 'State', cell: (o) => o.lifecycle_state },
            ]} />
        )}
      </Part>
      {dialog}
    </>
  )
}

/** Blocked are names of ontologies that were deleted and that nothing is ingested into again until they are free. */
function Blocked() {
  const frees = useMay()('ontologies', 'delete')
  const [ask, dialog] = useAct()
  const list = useRead<Schemas['TombstoneList']>('/ontology/tombstones')
  const free = (t: Schemas['OntologyTombstone']) => ask({ title: `Free the name ${t.name}?`, confirm: 'Free it', text: 'Documents may be ingested into an ontology of this name again.', run: async () => (await del('/ontology/tombstones/' + encodeURIComponent(t.name)), 'The name is free.') })
  return (
    <Part title="Blocked names" query={list}>
      {(data) => (
        <>
          <Table label="Blocked names" rows={data.tombstones ?? []} keyOf={(t) => t.name} empty="No name is blocked."
            columns={[
              { head: 'Name', cell: (t) => t.name, kind: 'name' },
              { head: 'Why', cell: (t) => t.reason, kind: 'name' },
              { head: 'Since', cell: (t) => instant(t.removed_at), kind: 'num' },
              { head: 'By', cell: (t) => t.removed_by },
              frees && { head: 'Free', cell: (t) => <button onClick={() => free(t)} aria-label={`Free ${t.name}`}>Free…</button> },
            ]} />
          {dialog}
        </>
      )}
    </Part>
  )
}
