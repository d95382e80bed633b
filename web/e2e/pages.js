// Every page of the console, as the accessibility tests and the screenshots visit it.
import { glaciers, rivers } from './sample.js'
import { setTimeout as pause } from 'node:timers/promises'

/** failedJob returns a job that took longer than it may. Later ones of its type have time again. */
export async function failedJob(server) {
  const policy = (ms) => server.call('PATCH', '/admin/job-types/sleep', { deadline_ms: ms, max_retries: 0 })
  await policy(1000)
  const { job_id } = await server.call('POST', '/jobs', { job_type: 'sleep', data: { ms: 2500, steps: 5 }, auto_approve: true })
  for (let i = 0; i < 300; i++) {
    const job = await server.call('GET', '/jobs/' + job_id)
    if (job.status === 'failed') {
      await policy(3_600_000)
      return job
    }
    await pause(100)
  }
  throw new Error(job_id + ' did not fail')
}

/** fill gives a server something to show, and returns the pages by name. */
export async function fill(server) {
  const done = await server.ingest('rivers.md', rivers, 'water')
  await server.ingest('glaciers.md', glaciers, 'water')
  const failed = await failedJob(server)
  const slow = await server.call('POST', '/jobs', { job_type: 'sleep', data: { ms: 600_000, steps: 600 }, auto_approve: true })
  await server.until(slow.job_id, 'processing')
  const document = encodeURIComponent(done.content_hash)
  const map = await server.call('POST', '/projection/__all__/regenerate', { n_components: 2 })
  await server.until(map.job_id, 'completed')
  const { quotes } = await server.call('GET', `/documents/${document}/quotes?ontology=water`)
  const stated = quotes.find((q) => q.relationships.length > 0)
  const { concepts } = await server.call('GET', `/documents/${document}/concepts?ontology=water`)
  return {
    home: '/',
    ingest: '/ingest',
    jobs: '/jobs',
    'jobs-none': '/jobs?status=cancelled&file=nothing',
    'job-done': '/jobs/' + done.job_id,
    'job-running': '/jobs/' + slow.job_id,
    'job-failed': '/jobs/' + failed.job_id,
    'job-unknown': '/jobs/job_000000000000',
    ask: '/ask',
    'ask-answered': '/ask?q=' + encodeURIComponent('What is a river?'),
    'ask-unanswered': '/ask?q=' + encodeURIComponent('Who painted the Mona Lisa?'),
    document: `/documents/${document}?ontology=water&concept=${encodeURIComponent(concepts[0].concept_id)}`,
    'document-quote': `/documents/${document}?ontology=water&bytes=${stated.start_byte}-${stated.end_byte}`,
    explore: '/explore',
    'explore-map': '/explore?map=__all__',
    'explore-path': `/explore?c=${encodeURIComponent(stated.relationships[0].from_concept_id)}&from=${encodeURIComponent(stated.relationships[0].from_concept_id)}&to=${encodeURIComponent(stated.relationships[0].to_concept_id)}&color=community`,
    'explore-concept': `/explore?c=${encodeURIComponent(concepts[0].concept_id)}&open=${encodeURIComponent(concepts[0].concept_id)}`,
    lanes: '/lanes',
    schedules: '/lanes/schedules',
    holds: '/lanes/holds',
    providers: '/lanes/providers',
    'job-types': '/lanes/types',
    ontologies: '/ontologies',
    ontology: '/ontologies?name=water',
    proposals: '/ontologies/proposals',
    proposal: '/ontologies/proposals?id=' + (await proposal(server)),
    'blocked-names': '/ontologies/blocked',
    vocabulary: '/vocabulary',
    'vocabulary-type': '/vocabulary?type=CAUSES',
    'vocabulary-reviews': '/vocabulary/reviews',
    'vocabulary-merges': '/vocabulary/merges',
    data: '/data?sql=' + encodeURIComponent('SELECT range AS n, n * n AS square, chr(97 + n::INT) AS letter FROM range(5)'),
    account: '/account',
    checks: '/admin',
    accounts: '/admin/accounts',
    'account-of': '/admin/accounts/1000',
    roles: '/admin/roles?why=curator:jobs:read',
    groups: '/admin/groups',
    'api-keys': '/admin/keys',
    audit: '/admin/audit',
    models: '/admin/models',
    backups: '/admin/backups',
    storage: '/admin/storage',
    settings: '/admin/settings?all=1',
    nowhere: '/nowhere',
  }
}

/** proposal has ontologies that share everything, and returns a proposal to join them, or one that is not there. */
async function proposal(server) {
  await server.ingest('rivers.md', rivers, 'becks')
  const { proposals } = await server.call('POST', '/ontology/annealing-cycle', { wait: true })
  return proposals?.[0]?.id ?? 1
}

/** settled waits until a page shows what it has to. */
export async function settled(page) {
  await page.locator('h1').first().waitFor()
  await page.waitForFunction(() => !document.body.innerText.includes('Loading '))
}
