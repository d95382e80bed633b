import { Link, useSearchParams } from 'wouter'
import { post, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { ago, count } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { share } from '../ui/units'

const toType = (type: string) => <Link href={'/vocabulary?type=' + encodeURIComponent(type)}>{type}</Link>

/** ReviewsTab lists the pairs of types that may mean the same, to be merged or kept apart. */
export function ReviewsTab() {
  const writes = useMay()('vocabulary', 'write')
  const [search, setSearch] = useSearchParams()
  const [ask, dialog] = useAct()
  const status = search.get('status') ?? 'open'
  const list = useRead<Schemas['VocabularyReviewList']>('/vocabulary/reviews?status=' + status)
  const review = (r: Schemas['VocabularyReview'], action: 'accept' | 'reject') =>
    ask({
      title: action === 'accept' ? `Merge ${r.source} into ${r.target}?` : `Keep ${r.source} and ${r.target} apart?`, confirm: action === 'accept' ? 'Merge' : 'Keep apart', danger: action === 'accept',
      text: action === 'accept' ? `Relationships of the type ${r.source} become ${r.target}. It can be undone.` : 'The pair is not proposed again.',
      run: async () => (await post('/vocabulary/reviews', { action, source: r.source, target: r.target }), action === 'accept' ? 'They are merged.' : 'They stay apart.'),
    })
  return (
    <>
      <Part title="Pairs that may mean the same" query={list}>
        {(data) => (
          <>
            <div className="filters">
              <label>
                Status
                <select value={status} onChange={(e) => setSearch({ status: e.target.value })}>
                  {['open', 'accepted', 'rejected', 'all'].map((s) => <option key={s}>{s}</option>)}
                </select>
              </label>
            </div>
            <Table label="Pairs" rows={data.reviews ?? []} keyOf={(r) => r.source + r.target} empty="No pair waits." more={status === 'open' ? 'Types lists what merges alike ones.' : undefined}
              columns={[
                { head: 'Would go', cell: (r) => toType(r.source), kind: 'name' },
                { head: 'Into', cell: (r) => toType(r.target), kind: 'name' },
                { head: 'Similarity', cell: (r) => share(r.similarity), kind: 'num' },
                { head: 'Why', cell: (r) => r.reason, kind: 'name' },
                { head: 'Decided', cell: (r) => r.decided_by && <>{r.status} by {r.decided_by}<small className="muted">{ago(r.decided_at)}</small></> },
                writes && { head: 'Decide', cell: (r) => r.status === 'open' && <span className="actions"><button onClick={() => review(r, 'accept')} aria-label={`Merge ${r.source} into ${r.target}`}>Merge…</button><button onClick={() => review(r, 'reject')} aria-label={`Keep apart: ${r.source} and ${r.target}`}>Keep apart…</button></span> },
              ]} />
          </>
        )}
      </Part>
      {dialog}
    </>
  )
}

/** MergesTab lists what was merged, newest first, and undoes it. */
export function MergesTab() {
  const writes = useMay()('vocabulary', 'write')
  const [ask, dialog] = useAct()
  const list = useRead<Schemas['VocabularyMergeList']>('/vocabulary/merges?limit=100')
  const undo = (m: Schemas['VocabularyMerge']) =>
    ask({
      title: `Undo the merge of ${m.deprecated_type} into ${m.target_type}?`, confirm: 'Undo', danger: true, text: `${count(m.edges_updated)} relationships are of the type ${m.deprecated_type} again.`,
      run: async () => (await post(`/vocabulary/merges/${m.merge_id}/undo`), 'The merge is undone.'),
    })
  return (
    <>
      <Part title="Merges" query={list}>
        {(data) => (
          <Table label="Merges" rows={data.merges ?? []} keyOf={(m) => m.merge_id} empty="Nothing was merged."
            columns={[
              { head: 'Type', cell: (m) => m.deprecated_type, kind: 'name' },
              { head: 'Into', cell: (m) => toType(m.target_type), kind: 'name' },
              { head: 'Relationships', cell: (m) => count(m.edges_updated), kind: 'num' },
              { head: 'Similarity', cell: (m) => share(m.similarity), kind: 'num' },
              { head: 'By', cell: (m) => <>{m.made_by}<small className="muted">{ago(m.merged_at)}</small></> },
              { head: 'Why', cell: (m) => m.reason, kind: 'name' },
              { head: 'Undo', cell: (m) => (m.undone_at ? `undone ${ago(m.undone_at)}` : writes && <button onClick={() => undo(m)} aria-label={`Undo the merge of ${m.deprecated_type}`}>Undo…</button>) },
            ]} />
        )}
      </Part>
      {dialog}
    </>
  )
}
