// Names that people give are shown as text, whatever stands in them, and each role sees what it may.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openBrowser, openPage, signIn } from './browser.js'
import { settled } from './pages.js'
import { payloads } from './payloads.js'
import { rivers } from './sample.js'
import { password, Server } from './server.js'

let server, browser, page

before(async () => {
  ;[server, browser] = await Promise.all([Server.start(), openBrowser()])
  page = await openPage(browser)
  await signIn(page, server.url)
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

/** refused counts what a rule of the API refuses to be called so; all else fails the test. */
async function named(make) {
  const taken = []
  for (const name of payloads) {
    try {
      await make(name)
      taken.push(name)
    } catch (err) {
      if (!/: (400|409|422) /.test(err.message)) throw err
    }
  }
  return taken
}

test('50 names with markup are shown as text wherever somebody gives one', async () => {
  assert.equal(new Set(payloads).size, 50)
  const submit = (name, ontology) => {
    const form = new FormData()
    form.set('ontology', ontology)
    form.set('file', new Blob([rivers + name]), name)
    return server.call('POST', '/ingest', form)
  }
  const shown = {
    '/ontologies': await named((name) => server.call('POST', '/ontology/', { name, description: name })),
    '/jobs': [],
    '/lanes/schedules': await named((name) => server.call('POST', '/admin/schedules', { name, cron: '0 0 1 1 *', job_type: 'artifact_cleanup', enabled: false })),
    '/admin/groups': await named((name) => server.call('POST', '/groups', { group_name: name, display_name: name, description: name })),
    '/admin/accounts': await named((name) => server.call('POST', '/users', { username: name, password, role: 'read_only' })),
    '/account': await named((name) => server.call('POST', '/auth/keys', { name })).catch(() => []),
    '/data': await named((name) => server.call('POST', '/query-definitions', { name, definition_type: 'dataset', definition: { sql: 'SELECT 1' } })),
    '/lanes/holds': await named((name) => server.call('POST', '/admin/pauses', { scope: 'queue', value: 'q' + payloads.indexOf(name), reason: name })),
    '/lanes': await named((name) => server.call('POST', '/admin/workers/lanes', { name, max_slots: 0 })),
    '/admin/audit?object=lane': [],
    '/': [],
  }
  await named((name) => submit(name, 'names'))
  shown['/jobs'] = (await server.call('GET', '/jobs?limit=500')).map((j) => j.filename).filter(Boolean) // a name is what stands behind its last slash
  const concepts = await named((label) => server.call('POST', '/concepts', { label, ontology: payloads[0], description: label }))
  // What takes text takes all of it; a lane's name and an account's have rules of their own.
  for (const path of ['/ontologies', '/jobs', '/data', '/lanes/holds']) assert.equal(shown[path].length, 50, path)
  assert.equal(shown['/lanes'].length, 0)
  assert.equal(concepts.length, 50)
  const markup = () => [...document.querySelectorAll('main *, header *, dialog *')].filter((e) => e.matches('script, iframe, object, style, math, body, svg[onload], [onerror], [onload], [onfocus], [ontoggle], [onmouseover], a[href^="javascript"]')).map((e) => e.outerHTML)
  const inert = async (where) => {
    assert.deepEqual(await page.evaluate(markup), [], where)
    assert.equal(await page.evaluate(() => globalThis.hacked), undefined, where)
  }
  page.on('dialog', (d) => page.problems.push('a name opened ' + d.message()) && d.dismiss())
  page.on('request', (r) => new URL(r.url()).host !== new URL(server.url).host && page.problems.push('a name loaded ' + r.url()))
  for (const [path, names] of Object.entries(shown)) {
    await page.goto(server.url + '/console' + path)
    await settled(page)
    await inert(path)
    if (names.length === 0) continue
    // A list shows a page of its rows: as many as fit, and each of them as it is written.
    const text = await page.evaluate(() => document.querySelector('main').textContent)
    const found = names.filter((n) => text.includes(n)).length
    assert.ok(found >= Math.min(names.length, 45), `${path}: ${found} of ${names.length} are shown`)
  }
  for (const name of payloads) {
    await page.goto(`${server.url}/console/ontologies?name=${encodeURIComponent(name)}`)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    assert.equal(await page.title(), name + ' · Kappa')
  }
  await inert('an ontology')
  await page.goto(`${server.url}/console/explore`)
  await settled(page)
  await inert('explore')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('onerror')
  await page.getByRole('option').first().waitFor()
  await inert('the palette')
  assert.deepEqual(page.problems, [])
})

test('each role sees what it may, and is asked for nothing that it may not', async () => {
  const paths = ['/', '/ingest', '/jobs', '/ask', '/explore', '/lanes', '/lanes/schedules', '/lanes/holds', '/lanes/providers', '/lanes/types', '/ontologies', '/ontologies?name=names', '/ontologies/proposals', '/ontologies/blocked', '/vocabulary', '/vocabulary?type=CAUSES', '/vocabulary/reviews', '/vocabulary/merges', '/data', '/account',
    '/admin', '/admin/accounts', '/admin/roles', '/admin/groups', '/admin/keys', '/admin/audit', '/admin/models', '/admin/backups', '/admin/storage', '/admin/settings']
  const missing = {}
  for (const role of ['read_only', 'contributor', 'curator', 'admin', 'platform_admin']) {
    await server.call('POST', '/users', { username: 'one-' + role, password, role })
    const other = await openPage(browser)
    const forbidden = []
    other.on('response', (r) => r.status() === 403 && forbidden.push(`${role} at ${new URL(other.url()).pathname}: ${r.request().method()} ${new URL(r.url()).pathname}`))
    await signIn(other, server.url, 'one-' + role)
    missing[role] = []
    for (const path of paths) {
      await other.evaluate((to) => history.pushState(null, '', to), '/console' + path)
      await other.waitForFunction(() => !document.body.innerText.includes('Loading '))
      if (await other.getByText('There is no page at this address.').count()) missing[role].push(path)
    }
    assert.deepEqual(forbidden, [])
    assert.deepEqual(other.problems, [])
    await other.context().close()
  }
  assert.deepEqual(missing.platform_admin, [])
  assert.ok(missing.read_only.includes('/ingest') && missing.read_only.includes('/admin/accounts'), missing.read_only.join())
  assert.ok(!missing.contributor.includes('/ingest') && missing.contributor.includes('/admin/settings'), missing.contributor.join())
  assert.ok(!missing.curator.includes('/vocabulary/reviews'), missing.curator.join())
  assert.ok(!missing.admin.includes('/admin/accounts'), missing.admin.join())
})
