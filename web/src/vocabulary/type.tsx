import { Link } from 'wouter'
import { post, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { textOf } from '../ui/field'
import { count, plural } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { share } from '../ui/units'

/** TypePart is one type of relationships: what it is like, and what it may be merged into. */
export function TypePart({ type }: { type: string }) {
  const writes = useMay()('vocabulary', 'write')
  const [ask, dialog] = useAct()
  const about = useRead<Schemas['TypeAnalysis']>('/vocabulary/analyze/' + encodeURIComponent(type))
  const status = useRead<Schemas['OneStatus']>('/vocabulary/epistemic-status/' + encodeURIComponent(type))
  const types = useRead<Schemas['TypeList']>('/vocabulary/types?include_builtin=true', { enabled: writes })
  const merge = (into = '') =>
    ask({
      title: `Merge ${type} into another type`, confirm: 'See what changes', fields: [{ name: 'target', label: 'Into', required: true, value: into, options: (types.data?.types ?? []).map((t) => t.relationship_type).filter((t) => t !== type) }, { name: 'reason', label: 'Why' }],
      run: async (v) => {
        const body = { deprecated_type: type, target_type: textOf(v.target).toUpperCase(), reason: textOf(v.reason) || 'merged by hand' }
        const would = await post<Schemas['MergeTypesReport']>('/vocabulary/merge', { ...body, dry_run: true })
        setTimeout(() =>
          ask({
            title: `Merge ${type} into ${body.target_type}?`, confirm: 'Merge', danger: true, text: `${plural(would.edges_updated, 'relationship')} become ${body.target_type}, with ${plural(would.evidence_moved, 'sentence')} that state them. It can be undone.`,
            run: async () => (await post('/vocabulary/merge', body), 'The types are merged. Merges lists it, to undo it.'),
          }),
        )
        return null
      },
    })
  return (
    <>
      <Part title="What it is like" query={about} aside={writes && <button onClick={() => merge()}>Merge into…</button>}>
        {(data) => (
          <dl className="pairs">
            <dt>Category</dt>
            <dd>
              {data.category}, fits {share(data.category_fit)}
              {data.potential_miscategorization && <span className="warning"> perhaps another one fits better</span>}
            </dd>
            <dt>Relationships</dt>
            <dd>{count(data.usage_count)}</dd>
            {status.data && (
              <>
                <dt>Status</dt>
                <dd>
                  {status.data.epistemic_status.toLowerCase().replaceAll('_', ' ')} {status.data.rationale}
                </dd>
              </>
            )}
            {data.suggestion && (
              <>
                <dt>Suggestion</dt>
                <dd>{data.suggestion}</dd>
              </>
            )}
          </dl>
        )}
      </Part>
      <Part title="Most like it" query={about}>
        {(data) => (
          <Table label="Most like it" rows={data.most_similar ?? []} keyOf={(t) => t.relationship_type} empty="No type is like it."
            columns={[
              { head: 'Type', cell: (t) => <Link href={'/vocabulary?type=' + encodeURIComponent(t.relationship_type)}>{t.relationship_type}</Link>, kind: 'name' },
              { head: 'Category', cell: (t) => t.category },
              { head: 'Similarity', cell: (t) => share(t.similarity), kind: 'num' },
              { head: 'Relationships', cell: (t) => count(t.usage_count), kind: 'num' },
              writes && { head: 'Merge', cell: (t) => <button onClick={() => merge(t.relationship_type)} aria-label={`Merge into ${t.relationship_type}`}>Merge into…</button> },
            ]} />
        )}
      </Part>
      <p>
        <Link href="/vocabulary">All types</Link>
      </p>
      {dialog}
    </>
  )
}
