import { useState } from 'react'
import { Link } from 'wouter'
import { post, type Job, type Schemas } from '../api/client'
import { download } from '../api/download'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { textOf, type Values } from '../ui/field'
import { ago, count } from '../ui/format'
import { Section } from '../ui/page'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { bytes, instant } from '../ui/units'

const day = new Date().toISOString().slice(0, 10)

/** BackupsTab saves the graph, says whether an archive is whole, and restores one, on request only to see what that would do. */
export function BackupsTab() {
  const may = useMay()
  const [ask, dialog] = useAct()
  const [jobs, setJobs] = useState<{ id: string; dry: boolean }[]>([])
  const waiting = useRead<Schemas['BackupsAnswer']>('/admin/backups')
  const ontologies = useRead<Schemas['OntologyList']>('/ontology/', { enabled: may('ontologies', 'read') })
  const names = (ontologies.data?.ontologies ?? []).map((o) => o.ontology)
  const create = () =>
    ask({
      title: 'Download a backup', confirm: 'Download', text: 'An archive of the graph as it is now: ontologies, documents, concepts, quotes and relationships. It holds no accounts, jobs or settings.',
      fields: [{ name: 'ontology', label: 'Of', kind: 'select', options: [['', 'the whole graph'], ...names.map((n): [string, string] => [n, n])] }],
      run: async (v) => {
        const ontology = textOf(v.ontology)
        const size = await download('POST', '/admin/backup' + (ontology && '?ontology=' + encodeURIComponent(ontology)), `kappa-${day}${ontology && '-' + ontology}.kgbackup`)
        return `The backup is downloaded: ${bytes(size)}.`
      },
    })
  const archive = { name: 'file', label: 'Archive', kind: 'file' as const, required: true }
  const verify = () =>
    ask({
      title: 'Is an archive whole?', confirm: 'Check it', fields: [archive],
      run: async (v) => {
        const answer = await post<Schemas['BackupVerifyAnswer']>('/admin/backup/verify', formOf(v))
        if (!answer.valid || !answer.archive) throw new Error('It is not whole: ' + (answer.error ?? 'it cannot be read'))
        return <Summary archive={answer.archive} />
      },
    })
  const restore = () =>
    ask({
      title: 'Restore an archive', confirm: 'Send it', text: 'A job does it in one transaction: everybody sees either the old graph or the new one. Ingestions wait meanwhile.',
      fields: [
        archive,
        { name: 'mode', label: 'How', kind: 'select', required: true, value: 'merge', options: [['merge', 'add what is missing'], ['replace', 'remove first what is there']] },
        { name: 'dry_run', label: 'only say what it would add and remove', kind: 'check', value: true },
      ],
      run: async (v) => {
        const answer = await post<Schemas['RestoreAnswer']>('/admin/restore', formOf(v))
        setJobs((was) => [{ id: answer.job_id, dry: v.dry_run === true }, ...was])
        return <><Summary archive={answer.backup_stats} />{(answer.integrity_warnings ?? []).map((w) => <p key={w} className="warning">{w}</p>)}</>
      },
    })
  return (
    <>
      <Section title="Backups" aside={
        <span className="actions">
          {may('backups', 'create') && <button className="primary" onClick={create}>Download a backup…</button>}
          <button onClick={verify}>Check an archive…</button>
          {may('backups', 'restore') && <button onClick={restore}>Restore…</button>}
        </span>
      }>
        <p className="muted">An archive holds the graph. What else is to be saved, accounts, jobs and settings, is in the database: save that with PostgreSQL’s own programs too.</p>
        {jobs.map((j) => <Restored key={j.id} id={j.id} dry={j.dry} />)}
      </Section>
      <Part title="Archives that wait for their restore" query={waiting}>
        {(data) => (
          <Table label="Archives that wait" rows={data.backups ?? []} keyOf={(b) => b.file} empty="None. An archive that was sent is kept for a day."
            columns={[{ head: 'File', cell: (b) => b.file }, { head: 'Size', cell: (b) => bytes(b.bytes), kind: 'num' }, { head: 'Sent', cell: (b) => ago(b.created_at), kind: 'num' }]} />
        )}
      </Part>
      {dialog}
    </>
  )
}

function formOf(v: Values): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(v)) if (name !== 'file') form.set(name, String(value))
  if (v.file instanceof File) form.set('file', v.file)
  return form
}

function Summary({ archive: a }: { archive: Schemas['BackupSummary'] }) {
  return (
    <dl className="pairs">
      <dt>Archive</dt>
      <dd>whole, of {instant(a.created_at)}, {bytes(a.bytes)}</dd>
      <dt>Of</dt>
      <dd>{a.ontology ?? 'the whole graph'}</dd>
      {Object.entries(a.rows).map(([name, n]) => (
        <div key={name} className="pair">
          <dt>{name.replaceAll('_', ' ')}</dt>
          <dd>{count(n)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Restored follows the job of a restore, and says what it added and removed, or would. */
function Restored({ id, dry }: { id: string; dry: boolean }) {
  const job = useRead<Job>('/jobs/' + id, { key: ['job', id] })
  const j = job.data
  const result = (j?.result ?? {}) as { restore_stats?: Record<string, number>; removed?: Record<string, number> }
  const words = (stats: Record<string, number> | undefined) => Object.entries(stats ?? {}).filter(([, n]) => typeof n === 'number' && n > 0).map(([name, n]) => `${count(n)} ${name.replaceAll('_', ' ')}`).join(', ') || 'nothing'
  return (
    <p role="status">
      <Link href={'/jobs/' + id}>{dry ? 'Dry run' : 'Restore'}</Link>:{' '}
      {!j ? '…' : j.status === 'completed' ? `${dry ? 'it would add' : 'added'} ${words(result.restore_stats)}; ${dry ? 'remove' : 'removed'} ${words(result.removed)}.` : j.status === 'failed' ? <span className="error">{j.error}</span> : j.status}
    </p>
  )
}
