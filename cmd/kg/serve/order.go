package serve

import (
	"context"
	"net"
)

// services lists what runs, in the order of the start; the stop is in reverse.
func (s *server) services(listener net.Listener) []service {
	list := append([]service{{"dataset workers", s.datasets.run}, {"readers of documents", s.intake.readers.run}, {"calls to models", s.models.governor.Run}, {"times of attempts", s.queue.times.Run}, {"finisher", s.queue.finisher.Run}}, s.events.services()...)
	list = append(list, s.pushing()...)
	if s.web.certificates != nil {
		list = append(list, service{"certificates", s.web.certificates.Run})
	}
	return append(list, []service{
		{"worker", s.queue.worker.Run},
		{"running jobs", func(ctx context.Context) error { return s.queue.drain(ctx, s.secondSignal, s.settings.Drain) }},
		{"deadlines of attempts", s.queue.runner.RunDeadlines},
		{"policies of job types", s.queue.policies.Run},
		{"orphans", s.queue.orphans.Run},
		{"elector", s.queue.elector.Run},
		{"lanes of every server", s.queue.runOfAll},
		{"settings of the graph", s.graph.settings.Run},
		{"choice of models", s.models.service.Run},
		{"analyst", s.intake.analyst.Run},
		{"graph in memory", s.graph.memory.Run},
		{"search index", s.graph.index.Run},
		{"index of passages", s.graph.passages.Run},
		{"embeddings of passages", s.graph.meanings.Run},
		{"webhooks", s.hooks.sender.Run},
		{"purge", s.leading.janitors.purge.Run},
		{"clock", clockWatch{s.db, s.log}.run},
		{"remote workers", s.remote.Run},
		{"HTTP", func(ctx context.Context) error { return s.web.api.Run(ctx, listener) }},
		{"load balancers", func(ctx context.Context) error { return s.web.leave(ctx, s.secondSignal, s.settings.Leave) }},
	}...)
}

// lead is what only the leader does: it runs the lanes and keeps house.
func (s *server) lead(ctx context.Context, term int64) error {
	underTerm := func(run func(context.Context, int64) error) func(context.Context) error {
		return func(ctx context.Context) error { return run(ctx, term) }
	}
	s.events.leadershipChanged()
	defer s.events.leadershipChanged()
	list := []service{}
	if !s.queue.ofAll() {
		list = append(list, service{"lanes", s.queue.manager.Run})
	}
	return runServices(ctx, s.log, append(list, []service{
		{"unhandled job types", s.leading.janitors.unhandled.Run},
		{"sweep", underTerm(s.leading.janitors.sweeper.Run)},
		{"stale recovery", underTerm(s.leading.janitors.stale.Run)},
		{"expiry", s.leading.janitors.expire.Run},
		{"reservations", s.leading.reservations.Run},
		{"prune", underTerm(s.leading.janitors.prune.Run)},
		{"waits for providers", s.leading.janitors.waits.Run},
		{"log of the graph", underTerm(s.leading.janitors.graphLog.Run)},
		{"folding counts", underTerm(s.leading.janitors.folding.Run)},
		{"passages", underTerm(s.leading.janitors.passages.Run)},
		{"scheduled jobs", underTerm(s.leading.launcher.Run)},
		{"watchdog of listeners", s.events.watchdog.Run},
		{"vocabulary", s.upkeep.vocabulary.Run},
		{"accepted proposals", s.upkeep.reviewer.Run},
	}...))
}
