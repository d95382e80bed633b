/** uploads runs tasks at most so many at a time, in order, and can be paused. */
export class Uploads {
  private waiting: (() => Promise<void>)[] = []
  private running = 0
  private held = false

  constructor(private readonly atOnce = 4) {}

  add(task: () => Promise<void>) {
    this.waiting.push(task)
    this.next()
  }

  pause(held: boolean) {
    this.held = held
    this.next()
  }

  private next() {
    while (!this.held && this.running < this.atOnce) {
      const task = this.waiting.shift()
      if (!task) return
      this.running++
      void task().finally(() => {
        this.running--
        this.next()
      })
    }
  }
}
