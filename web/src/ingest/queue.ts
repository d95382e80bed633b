/** Task does its part, and reports whether it has to be done again: the server was away. */
export type Task = () => Promise<'done' | 'again'>

/** Uploads runs tasks at most so many at a time, in order, and can be paused. A task that has to be done again is first in the line, and the others wait until back is called. */
export class Uploads {
  private waiting: Task[] = []
  private running = 0
  private held = false
  private away = false

  constructor(private readonly atOnce = 4) {}

  add(task: Task) {
    this.waiting.push(task)
    this.next()
  }

  pause(held: boolean) {
    this.held = held
    this.next()
  }

  /** back says that the server is there again. */
  back() {
    this.away = false
    this.next()
  }

  private next() {
    while (!this.held && !this.away && this.running < this.atOnce) {
      const task = this.waiting.shift()
      if (!task) return
      this.running++
      void this.run(task)
    }
  }

  private async run(task: Task) {
    if ((await task()) === 'again') {
      this.away = true
      this.waiting.unshift(task)
    }
    this.running--
    this.next()
  }
}
