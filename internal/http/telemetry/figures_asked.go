package telemetry

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/work"
)

// databaseSeries are what an operator has to watch in PostgreSQL.
func databaseSeries() []series[askedFigures] {
	type emit = func(value float64, labels ...string)
	gauge := func(name, help string, labels []string, each func(d work.DatabaseFigures, emit emit)) series[askedFigures] {
		return newSeries(prometheus.GaugeValue, name, help, labels, func(a askedFigures, emit emit) {
			if a.database != nil {
				each(*a.database, emit)
			}
		})
	}
	ofTables := func(name, help string, value func(work.TableFigures) int64) series[askedFigures] {
		return gauge(name, help, []string{"table"}, func(d work.DatabaseFigures, emit emit) {
			for _, t := range d.Tables {
				emit(float64(value(t)), t.Name)
			}
		})
	}
	return []series[askedFigures]{
		newSeries(prometheus.GaugeValue, "database_up", "1 when the database answered this scrape in time.", nil, func(a askedFigures, emit emit) { emit(oneIf(a.up)) }),
		gauge("database_frozen_xid_age_transactions", "Transactions since the oldest one of the database that is not frozen.", nil,
			func(d work.DatabaseFigures, emit emit) { emit(float64(d.FrozenXIDAge)) }),
		gauge("database_xmin_age_transactions", "Transactions whose remains vacuum must keep, by who holds them back.", []string{"holder"},
			func(d work.DatabaseFigures, emit emit) {
				for holder, age := range d.XminAge {
					emit(float64(age), holder)
				}
			}),
		gauge("database_size_bytes", "Size of the database on disk.", nil, func(d work.DatabaseFigures, emit emit) { emit(float64(d.Bytes)) }),
		gauge("database_clock_ahead_seconds", "How far the clock of the database is ahead of this machine's.", nil, func(d work.DatabaseFigures, emit emit) { emit(d.ClockAhead.Seconds()) }),
		gauge("database_slot_wal_bytes", "How much of the write-ahead log replication slots hold back.", nil, func(d work.DatabaseFigures, emit emit) { emit(float64(d.SlotWAL)) }),
		ofTables("table_live_rows", "Rows of a table, estimated.", func(t work.TableFigures) int64 { return t.Live }),
		ofTables("table_dead_rows", "Old versions of rows that vacuum has not removed yet, estimated.", func(t work.TableFigures) int64 { return t.Dead }),
	}
}

// queueSeries are what waits and runs, on all servers together.
func queueSeries() []series[askedFigures] {
	type emit = func(value float64, labels ...string)
	upTo := " Counted up to " + strconv.Itoa(work.MostCounted) + "."
	gauge := func(name, help string, labels []string, each func(q work.QueueFigures, emit emit)) series[askedFigures] {
		return newSeries(prometheus.GaugeValue, name, help, labels, func(a askedFigures, emit emit) {
			if a.queue != nil {
				each(*a.queue, emit)
			}
		})
	}
	ofLanes := func(name, help string, value func(work.LaneFigures) float64) series[askedFigures] {
		return gauge("lane_"+name, help, []string{"lane"}, func(q work.QueueFigures, emit emit) {
			for _, l := range q.Lanes {
				emit(value(l), l.Name)
			}
		})
	}
	return []series[askedFigures]{
		ofLanes("slots", "Jobs that the lane may run at once.", func(l work.LaneFigures) float64 { return float64(l.MaxSlots) }),
		ofLanes("running_jobs", "Jobs of the lane that run.", func(l work.LaneFigures) float64 { return float64(l.Running) }),
		ofLanes("enabled", "1 when the lane claims jobs.", func(l work.LaneFigures) float64 { return oneIf(l.Enabled) }),
		ofLanes("oldest_wait_seconds", "For how long the oldest job of the lane has waited for a slot.", func(l work.LaneFigures) float64 { return l.OldestWait.Seconds() }),
		gauge("lane_queued_jobs", "Jobs that wait for a slot of the lane."+upTo, []string{"lane", "job_type"}, func(q work.QueueFigures, emit emit) {
			for _, l := range q.Lanes {
				for jobType, n := range l.Queued {
					emit(float64(n), l.Name, jobType)
				}
			}
		}),
		gauge("unclaimed_jobs", "Jobs that wait and that no lane claims."+upTo, []string{"job_type"}, func(q work.QueueFigures, emit emit) {
			for jobType, n := range q.Unclaimed {
				emit(float64(n), jobType)
			}
		}),
		gauge("waiting_jobs", "Jobs that could run now and wait, whoever takes them."+upTo, []string{"job_type"}, func(q work.QueueFigures, emit emit) {
			for jobType, n := range q.Waiting {
				emit(float64(n), jobType)
			}
		}),
		gauge("jobs", "Jobs that are not over, by status."+upTo, []string{"status"}, func(q work.QueueFigures, emit emit) {
			for status, n := range q.Jobs {
				emit(float64(n), string(status))
			}
		}),
	}
}
