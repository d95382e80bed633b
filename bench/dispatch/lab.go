package main

import "time"

// lab is where the contenders run.
type lab struct {
	dsn     string
	dataDir string // of the cluster
}

// figure is what a run took.
type figure struct {
	wall time.Duration
	cpu  time.Duration // of all processes, the database's too; 0 where it is not known
}

// stopwatch measures a run.
type stopwatch struct {
	lab   lab
	began time.Time
	cpu   time.Duration
}

// start starts the clock.
func (l lab) start() stopwatch {
	used, _ := cpuTime(l.dataDir) // 0 without
	return stopwatch{lab: l, began: time.Now(), cpu: used}
}

// stop returns what was used since the start.
func (s stopwatch) stop() figure {
	f := figure{wall: time.Since(s.began)}
	if used, err := cpuTime(s.lab.dataDir); err == nil {
		f.cpu = used - s.cpu
	}
	return f
}
