import { Link, useSearchParams } from 'wouter'
import { post, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { textOf } from '../ui/field'
import { ago } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { share } from '../ui/units'
import { effectsOf } from './change'

type Proposal = Schemas['OntologyProposal']

const kinds: Record<string, string> = { promotion: 'split off', demotion: 'dissolve', merge: 'join', reassignment: 'move chunks' }
const whatOf = (p: Proposal) =>
  p.proposal_type === 'promotion' ? `Split ${p.suggested_name ?? 'an ontology'} off ${p.ontology_name}` : p.proposal_type === 'merge' ? `Join ${p.ontology_name} with ${p.target_ontology}` : p.proposal_type === 'demotion' ? `Dissolve ${p.ontology_name} into ${p.target_ontology ?? 'another one'}` : `${p.proposal_type} of ${p.ontology_name}`

/** ProposalsTab lists the proposals to join, dissolve and split ontologies. */
export function ProposalsTab() {
  const writes = useMay()('ontologies', 'write')
  const [search, setSearch] = useSearchParams()
  const [ask, dialog] = useAct()
  const status = search.get('status') ?? 'pending'
  const list = useRead<Schemas['OntologyProposalList']>('/ontology/proposals?limit=100' + (status === 'all' ? '' : '&status=' + status))
  const anneal = () =>
    ask({
      title: 'Measure all ontologies, and propose changes?', confirm: 'Propose', text: 'A job does it. Nothing is changed before a proposal is accepted.',
      run: async () => {
        const { job_id } = await post<Schemas['Annealed']>('/ontology/annealing-cycle', { wait: false })
        return (
          <p>
            The job <Link href={'/jobs/' + job_id}>{job_id}</Link> does it.
          </p>
        )
      },
    })
  return (
    <>
      <Part title="Proposals" query={list} aside={writes && <button onClick={anneal}>Look for proposals…</button>}>
        {(data) => (
          <>
            <div className="filters">
              <label>
                Status
                <select value={status} onChange={(e) => setSearch({ status: e.target.value })}>
                  {['pending', 'approved', 'executing', 'executed', 'rejected', 'failed', 'undone', 'expired', 'all'].map((s) => (
                    <option key={s}>{s}</option>
                  ))}
                </select>
              </label>
            </div>
            <Table label="Proposals" rows={data.proposals ?? []} keyOf={(p) => p.id} empty="There is no such proposal." more={status === 'pending' ? 'Nothing waits for a review.' : undefined}
              columns={[
                { head: 'Proposal', cell: (p) => <Link href={'/ontologies/proposals?id=' + p.id}>{whatOf(p)}</Link>, kind: 'name' },
                { head: 'Kind', cell: (p) => kinds[p.proposal_type] ?? p.proposal_type },
                { head: 'Status', cell: (p) => p.status },
                { head: 'Made', cell: (p) => <>{ago(p.created_at)}<small className="muted">{p.made_by}</small></>, kind: 'num' },
                { head: 'Reviewed', cell: (p) => p.reviewed_by && <>{p.reviewed_by}<small className="muted">{ago(p.reviewed_at)}</small></> },
              ]} />
          </>
        )}
      </Part>
      {dialog}
    </>
  )
}

/** ProposalPart shows what a proposal would change, and why it was made; it is accepted, rejected or undone here. */
export function ProposalPart({ id }: { id: number }) {
  const writes = useMay()('ontologies', 'write')
  const [ask, dialog] = useAct()
  const path = '/ontology/proposals/' + id
  const proposal = useRead<Proposal>(path, { every: 5_000 })
  const p = proposal.data
  const review = (status: 'approved' | 'rejected') =>
    ask({
      title: status === 'approved' ? 'Accept the proposal?' : 'Reject the proposal?', confirm: status === 'approved' ? 'Accept' : 'Reject', danger: status === 'rejected',
      text: status === 'approved' ? 'A job executes it. It can be undone.' : 'The same is not proposed again.', fields: [{ name: 'notes', label: 'Why' }],
      run: async (v) => (await post(path + '/review', { status, ...(v.notes && { notes: textOf(v.notes) }) }), status === 'approved' ? 'It is accepted, and executed by a job.' : 'It is rejected.'),
    })
  const undo = () => ask({ title: 'Undo what the proposal has changed?', confirm: 'Undo', danger: true, run: async () => (await post(path + '/undo'), 'It is undone.') })
  return (
    <>
      <Part title={p ? whatOf(p) : 'Proposal'} query={proposal} aside={
        p && writes && (
          <span className="actions">
            {p.status === 'pending' && <button className="primary" onClick={() => review('approved')}>Accept…</button>}
            {p.status === 'pending' && <button onClick={() => review('rejected')}>Reject…</button>}
            {p.status === 'executed' && !p.undone_at && <button onClick={undo}>Undo…</button>}
          </span>
        )
      }>
        {(data) => (
          <dl className="pairs">
            <dt>Status</dt>
            <dd>
              {data.status}
              {data.execution_job_id && <>, by <Link href={'/jobs/' + data.execution_job_id}>{data.execution_job_id}</Link></>}
              {data.undone_by && `, undone by ${data.undone_by} ${ago(data.undone_at)}`}
            </dd>
            <dt>Why</dt>
            <dd>{data.reasoning}</dd>
            <dt>Made</dt>
            <dd>
              {data.made_by}, {ago(data.created_at)}
            </dd>
            <dt>Mass, coherence, protection then</dt>
            <dd>
              {share(data.mass_score)}, {share(data.coherence_score)}, {share(data.protection_score)}
            </dd>
            {data.reviewed_by && (
              <>
                <dt>Reviewed</dt>
                <dd>
                  {data.reviewed_by}, {ago(data.reviewed_at)} {data.reviewer_notes}
                </dd>
              </>
            )}
          </dl>
        )}
      </Part>
      {p?.status === 'pending' && <Effects proposal={p} />}
      <p>
        <Link href="/ontologies/proposals">All proposals</Link>
      </p>
      {dialog}
    </>
  )
}

/** Effects shows the ontologies as they are and as they would be. */
function Effects({ proposal: p }: { proposal: Proposal }) {
  const list = useRead<Schemas['OntologyList']>('/ontology/')
  const affinity = useRead<Schemas['AffinityList']>(`/ontology/${encodeURIComponent(p.ontology_name)}/affinity?limit=100`, { enabled: !!p.target_ontology })
  const anchor = useRead<Schemas['ConceptDetails']>(`/query/concept/${encodeURIComponent(p.anchor_concept_id ?? '')}?ontology=${encodeURIComponent(p.ontology_name)}`, { enabled: !!p.anchor_concept_id })
  const of = (name: string | null) => list.data?.ontologies?.find((o) => o.ontology === name)
  const quotes = anchor.data?.instances
  return (
    <Part title="What it would change" query={list}>
      {() => (
        <Table label="What it would change" keyOf={(e) => e.ontology + e.measure} empty="Nothing that can be counted."
          rows={effectsOf(p, {
            source: of(p.ontology_name), target: of(p.target_ontology), shared: affinity.data?.affinities?.find((a) => a.other_ontology === p.target_ontology)?.shared_concept_count,
            quotes: quotes ? { chunks: new Set(quotes.map((q) => q.source_id)).size, documents: new Set(quotes.map((q) => q.document_id)).size } : undefined,
          })}
          columns={[
            { head: 'Ontology', cell: (e) => e.ontology, kind: 'name' },
            { head: 'Has', cell: (e) => e.measure },
            { head: 'Before', cell: (e) => e.before, kind: 'num' },
            { head: 'After', cell: (e) => e.after, kind: 'num' },
          ]} />
      )}
    </Part>
  )
}
