// Prints the figures of the console beside what is demanded of them: headless Chromium, beside its own server.
import { setTimeout as pause } from 'node:timers/promises'
import { openBrowser, openPage, signIn } from '../e2e/browser.js'
import { password, Server } from '../e2e/server.js'
import { book, neighborhood } from './data.js'
import { cpu, frames, heap, quantile, Table } from './figures.js'

const seconds = Number(process.env.BENCH_SECONDS ?? 20) // that the table of jobs is scrolled
const rows = 5_000
const only = process.env.BENCH_ONLY // the name of one of the measures
const table = new Table()
const server = await Server.start()
const browser = await openBrowser()
const console_ = (path) => server.url + '/console' + path

/** loaded is how many compressed bytes a page has loaded since it was opened, of which those in known are left out. */
const loaded = (page) => page.evaluate(() => performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).filter((e) => /\/console\//.test(e.name) && !e.name.endsWith('.svg')).reduce((sum, e) => sum + e.encodedBodySize, 0))
const kB = (bytes) => (bytes / 1000).toFixed(1) + ' kB'

async function start() {
  const first = await openPage(browser)
  await signIn(first, server.url)
  const state = await first.context().storageState()
  const [painted, usable] = [[], []]
  for (let i = 0; i < 5; i++) {
    const page = await openPage(browser, { storageState: state })
    await page.goto(console_('/'))
    await page.getByText('Nothing runs.').or(page.getByRole('progressbar')).first().waitFor()
    await page.getByText('Last documents').waitFor()
    usable.push(await page.evaluate(() => performance.now()))
    painted.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime))
    if (i === 4) {
      const home = await loaded(page)
      table.row('first load of the start page, compressed', kB(home), '110 kB', home <= 110_000)
      await page.getByRole('link', { name: 'Explore' }).click()
      await page.getByRole('heading', { name: 'The strongest concepts' }).waitFor()
      const graph = (await loaded(page)) - home
      table.row('what the graph page adds', kB(graph), '60 kB', graph <= 60_000)
    }
    await page.context().close()
  }
  const [fcp, ready] = [quantile(painted, 0.5), quantile(usable, 0.5)]
  table.row('first contentful paint, cold', `${fcp.toFixed(0)} ms`, '600 ms', fcp <= 600)
  table.row('start page usable, cold', `${ready.toFixed(0)} ms`, '1,000 ms', ready <= 1000)
  return first
}

async function changes(page) {
  const late = []
  for (let round = 0; round < 10; round++) {
    const ids = await Promise.all(Array.from({ length: 40 }, () => server.call('POST', '/jobs', { job_type: 'noop', data: {}, run_at: new Date(Date.now() + 3_600_000).toISOString() }).then((j) => j.job_id)))
    await page.goto(console_('/jobs'))
    await page.getByText('live', { exact: true }).waitFor()
    await page.evaluate(() => {
      window.seen = new Map()
      new MutationObserver(() => document.querySelectorAll('tr[data-job]').forEach((r) => r.querySelector('.status.approved') && !seen.has(r.dataset.job) && seen.set(r.dataset.job, Date.now()))).observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true })
    })
    const approvals = []
    for (const id of ids) {
      approvals.push(server.call('POST', `/jobs/${id}/approve`))
      await pause(20)
    }
    await Promise.all(approvals)
    await page.waitForFunction((n) => seen.size >= n, ids.length)
    const seen = new Map(await page.evaluate(() => [...seen]))
    for (const id of ids) late.push(seen.get(id) - Date.parse((await server.call('GET', '/jobs/' + id)).approved_at))
  }
  const p95 = quantile(late, 0.95)
  table.row('an approval until it is seen in the table, at 50 a second, p95', `${p95} ms (p50 ${quantile(late, 0.5)} ms)`, '150 ms', p95 <= 150)
}

async function manyJobs(page) {
  for (let made = 0; made < rows; made += 50) await Promise.all(Array.from({ length: 50 }, () => server.call('POST', '/jobs', { job_type: 'noop', data: {} })))
  await page.goto(console_('/jobs'))
  await page.getByText('live', { exact: true }).waitFor()
  const shown = () => page.evaluate(() => Number(document.body.innerText.match(/([\d,]+) jobs shown/)?.[1].replaceAll(',', '') ?? 0))
  for (let i = 0; i < 300 && (await shown()) < rows; i++) {
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await pause(100)
  }
  const ids = (await Promise.all(Array.from({ length: rows / 500 }, (_, i) => server.call('GET', `/jobs?status=awaiting_approval&limit=500&offset=${500 * i}`)))).flat().map((j) => j.job_id)
  const before = await heap(page)
  let at = 0
  let on = true
  const changing = (async () => {
    // Approval and completion are three changes of each job.
    while (on && at < ids.length) {
      await Promise.all([server.call('POST', '/jobs/actions', { act: 'approve', ids: ids.slice(at, (at += 20)) }), pause(300)])
    }
  })()
  const { perSecond, longest } = await frames(page, async () => {
    await page.evaluate(
      (ms) =>
        new Promise((done) => {
          const end = performance.now() + ms
          let by = 60
          const step = () => {
            if (scrollY + innerHeight >= document.body.scrollHeight - 1) by = -60
            if (scrollY <= 0) by = 60
            scrollBy(0, by)
            if (performance.now() < end) requestAnimationFrame(step)
            else done()
          }
          step()
        }),
      seconds * 1000,
    )
  })
  on = false
  await changing
  const grown = (await heap(page)) - before
  table.row(`${(await shown()).toLocaleString('en')} jobs in the table, about 200 changes a second, scrolled`, `${perSecond.toFixed(0)} frames a second, longest task ${longest.toFixed(0)} ms`, '50 frames a second', perSecond >= 50)
  table.row(`its memory after ${seconds} s, ${at} jobs changed`, `${(before / 1e6).toFixed(0)} MB ${grown < 0 ? '−' : '+'} ${Math.abs(grown / 1e6).toFixed(1)} MB`, 'flat', grown < 5e6)
}

async function graph(page) {
  const [nodes, edges] = [10_000, 30_000]
  const body = JSON.stringify(neighborhood(nodes, edges))
  await page.route('**/api/query/neighborhood', (route) => route.fulfill({ contentType: 'application/json', body }))
  await page.goto(console_('/explore?c=n_0'))
  await page.locator('.canvas canvas').first().waitFor({ state: 'attached' })
  await page.getByText(/10,000.* concepts and 30,000 relationships shown/).waitFor()
  await pause(1_500) // until it is drawn for the first time
  const laid = await frames(page, () => pause(11_000))
  const box = await page.locator('.canvas').boundingBox()
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  const moved = await frames(page, async () => {
    await page.mouse.move(x, y)
    await page.mouse.down()
    for (let i = 0; i < 60; i++) await page.mouse.move(x + 100 * Math.sin(i / 8), y + 60 * Math.cos(i / 8))
    await page.mouse.up()
    for (let i = 0; i < 20; i++) {
      await page.mouse.wheel(0, i < 10 ? -120 : 120)
      await pause(50)
    }
  })
  table.row('a graph of 10,000 nodes and 30,000 edges, dragged and zoomed', `${moved.perSecond.toFixed(0)} frames a second`, '30 frames a second', moved.perSecond >= 30)
  table.row('the longest task while it is laid out, after it was drawn first', `${laid.longest.toFixed(0)} ms`, '100 ms', laid.longest <= 100)
  await page.unroute('**/api/query/neighborhood')
}

async function document(page) {
  const text = book(1_000_000, 400)
  const { content_hash: hash } = await server.ingest('book.md', text, 'machines')
  let marks = 0
  for (let cursor = ''; cursor !== null; ) {
    const part = await server.call('GET', `/documents/${encodeURIComponent(hash)}/quotes?limit=5000${cursor && '&cursor=' + cursor}`)
    marks += part.quotes.length
    cursor = part.next_cursor
  }
  const times = []
  for (let i = 0; i < 3; i++) {
    await page.goto(console_('/'))
    await page.getByText('Last documents').waitFor()
    times.push(
      await page.evaluate(async (path) => {
        const begun = performance.now()
        history.pushState({}, '', path)
        while (!document.querySelector('.text mark')) await new Promise(requestAnimationFrame)
        await new Promise(requestAnimationFrame)
        return performance.now() - begun
      }, '/console/documents/' + encodeURIComponent(hash)),
    )
  }
  const opened = quantile(times, 0.5)
  table.row(`a document of ${(text.length / 1e6).toFixed(1)} MB with ${marks.toLocaleString('en')} marks opens`, `${opened.toFixed(0)} ms`, '1,000 ms', opened <= 1000)
}

async function idle() {
  const signed = await fetch(server.url + '/auth/session', { method: 'POST', body: new URLSearchParams({ username: 'admin', password }) })
  const headers = { Cookie: signed.headers.get('Set-Cookie').split(';')[0] }
  const end = new AbortController()
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      const stream = await fetch(server.url + '/events', { headers, signal: end.signal })
      const reader = stream.body.getReader()
      await reader.read()
      void (async () => {
        for (;;) if ((await reader.read()).done) return
      })().catch(() => {})
    }),
  )
  await pause(5_000)
  const [begun, before] = [Date.now(), cpu(server.process.pid)]
  await pause(20_000)
  const used = ((cpu(server.process.pid) - before) * 1000) / (Date.now() - begun)
  end.abort()
  table.row('200 open streams, when nothing happens: the server', `${(100 * used).toFixed(1)} % of a core`, '5 %', used <= 0.05)
}

try {
  await server.call('GET', '/jobs') // the calls after it share its token
  const page = await start()
  for (const measure of [idle, changes, document, graph, manyJobs].filter((m) => !only || only === m.name)) {
    try {
      await measure(page)
    } catch (err) {
      table.row(measure.name, String(err.message).split('\n')[0], '', false)
    }
  }
} finally {
  await browser.close()
  await server.stop()
}
process.exitCode = table.broken > 0 && process.env.BENCH_STRICT ? 1 : 0
