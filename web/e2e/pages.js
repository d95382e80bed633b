// Every page of the console, as the accessibility tests and the screenshots visit it.
import { glaciers, rivers } from './sample.js'

/** fill gives a server something to show, and returns the pages by name. */
export async function fill(server) {
  const done = await server.ingest('rivers.md', rivers, 'water')
  await server.ingest('glaciers.md', glaciers, 'water')
  const failed = await server.call('POST', '/jobs', { job_type: 'noop', data: { fail: 'the sample fails' }, auto_approve: true }).catch(() => null)
  const slow = await server.call('POST', '/jobs', { job_type: 'sleep', data: { ms: 600_000, steps: 600 }, auto_approve: true })
  await server.until(slow.job_id, 'processing')
  const document = encodeURIComponent(done.content_hash)
  const { concepts } = await server.call('GET', `/documents/${document}/concepts?ontology=water`)
  return {
    home: '/',
    ingest: '/ingest',
    jobs: '/jobs',
    'jobs-none': '/jobs?status=cancelled&file=nothing',
    'job-done': '/jobs/' + done.job_id,
    'job-running': '/jobs/' + slow.job_id,
    ...(failed ? { 'job-other': '/jobs/' + failed.job_id } : {}),
    'job-unknown': '/jobs/job_000000000000',
    ask: '/ask',
    'ask-answered': '/ask?q=' + encodeURIComponent('What is a river?'),
    'ask-unanswered': '/ask?q=' + encodeURIComponent('Who painted the Mona Lisa?'),
    document: `/documents/${document}?ontology=water&concept=${encodeURIComponent(concepts[0].concept_id)}`,
    nowhere: '/nowhere',
  }
}

/** settled waits until a page shows what it has to. */
export async function settled(page) {
  await page.locator('h1').first().waitFor()
  await page.waitForFunction(() => !document.body.innerText.includes('Loading '))
}
