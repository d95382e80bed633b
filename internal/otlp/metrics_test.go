package otlp

import (
	"context"
	"log/slog"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/otlp/otlptest"
)

// openMetrics returns what pushes a registry, with these variables.
func openMetrics(t *testing.T, registry *prometheus.Registry, values map[string]string) (*Metrics, *logged) {
	t.Helper()
	values["OTEL_METRICS_EXPORTER"] = "otlp"
	cfg, err := Read(func(name string) string { return values[name] })
	if err != nil || !cfg.MetricsOn() {
		t.Fatalf("on: %v, error %v", cfg.MetricsOn(), err)
	}
	log := &logged{}
	gather := func(context.Context) ([]*dto.MetricFamily, error) { return registry.Gather() }
	return NewMetrics(cfg, Service{Name: "kappa", Version: "1", Instance: "i"}, gather, slog.New(slog.NewTextHandler(log, nil))), log
}

// kindsOfMetrics returns a registry with a metric of each kind.
func kindsOfMetrics() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	counter := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "c_total", Help: "Counted."}, []string{"lane"})
	gauge := prometheus.NewGauge(prometheus.GaugeOpts{Name: "g", Help: "Now."})
	classic := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "classic_seconds", Help: "Lasted.", Buckets: []float64{1, 2}})
	native := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "native_seconds", Help: "Lasted.", Buckets: []float64{1, 2}, NativeHistogramBucketFactor: 2})
	summary := prometheus.NewSummary(prometheus.SummaryOpts{Name: "s", Help: "Shared.", Objectives: map[float64]float64{.5: .01}})
	old := prometheus.NewDesc("old_total", "", nil, nil)
	registry.MustRegister(counter, gauge, classic, native, summary, constant{prometheus.MustNewConstMetric(old, prometheus.CounterValue, 7)})
	counter.WithLabelValues("a").Add(3)
	gauge.Set(-1.5)
	for _, v := range []float64{.5, 1.5, 1.5, 9} {
		classic.Observe(v)
	}
	for _, v := range []float64{0, 1.5, 2, 3, 100} {
		native.Observe(v)
	}
	summary.Observe(4)
	return registry
}

// constant is a metric that does not say since when it counts.
type constant struct{ prometheus.Metric }

func (c constant) Describe(out chan<- *prometheus.Desc) { out <- c.Desc() }
func (c constant) Collect(out chan<- prometheus.Metric) { out <- c.Metric }

// TestMetricsAtACollector pushes a metric of each kind over each protocol to a collector.
func TestMetricsAtACollector(t *testing.T) {
	c := otlptest.Start(t)
	for name, values := range map[string]map[string]string{
		"http":        {"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL},
		"http, whole": {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": c.URL + "/v1/metrics"},
		"grpc":        {"OTEL_EXPORTER_OTLP_ENDPOINT": c.GRPC, "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "grpc"},
	} {
		t.Run(name, func(t *testing.T) {
			maps.Copy(values, map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20key", "OTEL_SERVICE_NAME": name})
			before := time.Now()
			m, log := openMetrics(t, kindsOfMetrics(), values)
			m.push(t.Context())
			arrived := map[string]*metrics.Metric{}
			for _, metric := range c.Metrics() {
				if r := metric.Resource; r["service.name"] == name && r["service.version"] == "1" && r["service.instance.id"] == "i" {
					arrived[metric.GetName()] = metric.Metric
				}
			}
			if c.Key() != "a key" || log.count("WARN") != 0 || len(arrived) != 6 {
				t.Fatalf("%d metrics arrived, want 6; the key is %q, the log %s", len(arrived), c.Key(), &log.buf)
			}
			since := nanoseconds(before)
			checkCounters(t, arrived, since)
			checkHistograms(t, arrived, since)
		})
	}
}

func checkCounters(t *testing.T, arrived map[string]*metrics.Metric, since uint64) {
	t.Helper()
	for name, want := range map[string]float64{"c_total": 3, "old_total": 7} {
		sum := arrived[name].GetSum()
		if !sum.GetIsMonotonic() || sum.GetAggregationTemporality() != cumulative || len(sum.GetDataPoints()) != 1 {
			t.Fatalf("%s is %v", name, sum)
		}
		p := sum.GetDataPoints()[0]
		if p.GetAsDouble() != want || p.GetStartTimeUnixNano() < since || p.GetTimeUnixNano() < p.GetStartTimeUnixNano() {
			t.Errorf("%s is %v, want %v since the beginning of the test", name, p, want)
		}
	}
	labelled := arrived["c_total"].GetSum().GetDataPoints()[0].GetAttributes()
	if len(labelled) != 1 || labelled[0].GetKey() != "lane" || labelled[0].GetValue().GetStringValue() != "a" || arrived["c_total"].GetDescription() != "Counted." {
		t.Errorf("the counter is %v", arrived["c_total"])
	}
	if g := arrived["g"].GetGauge().GetDataPoints(); len(g) != 1 || g[0].GetAsDouble() != -1.5 || g[0].GetStartTimeUnixNano() != 0 {
		t.Errorf("the gauge is %v", g)
	}
	if s := arrived["s"].GetSummary().GetDataPoints(); len(s) != 1 || s[0].GetCount() != 1 || s[0].GetSum() != 4 || len(s[0].GetQuantileValues()) != 1 || s[0].GetQuantileValues()[0].GetValue() != 4 {
		t.Errorf("the summary is %v", s)
	}
}

func checkHistograms(t *testing.T, arrived map[string]*metrics.Metric, since uint64) {
	t.Helper()
	h := arrived["classic_seconds"].GetHistogram()
	if p := h.GetDataPoints(); len(p) != 1 || h.GetAggregationTemporality() != cumulative || p[0].GetCount() != 4 || p[0].GetSum() != 12.5 ||
		!slices.Equal(p[0].GetExplicitBounds(), []float64{1, 2}) || !slices.Equal(p[0].GetBucketCounts(), []uint64{1, 2, 1}) || p[0].GetStartTimeUnixNano() < since {
		t.Errorf("the classic histogram is %v", h)
	}
	e := arrived["native_seconds"].GetExponentialHistogram()
	if p := e.GetDataPoints(); len(p) != 1 || e.GetAggregationTemporality() != cumulative || p[0].GetCount() != 5 || p[0].GetSum() != 106.5 || p[0].GetZeroCount() != 1 || p[0].GetStartTimeUnixNano() < since {
		t.Fatalf("the native histogram is %v", e)
	}
	// Each value is in the bucket whose bounds are base^index and base^(index+1).
	p := e.GetDataPoints()[0]
	base := math.Exp2(math.Exp2(-float64(p.GetScale())))
	want := map[int]uint64{}
	for _, v := range []float64{1.5, 2, 3, 100} {
		want[int(math.Ceil(math.Log(v)/math.Log(base)))-1]++
	}
	got := map[int]uint64{}
	for i, n := range p.GetPositive().GetBucketCounts() {
		if n > 0 {
			got[int(p.GetPositive().GetOffset())+i] = n
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("the native histogram has %v at scale %d, want %v", got, p.GetScale(), want)
	}
}

// TestMetricsWhileTheCollectorIsAway has a collector refuse and be silent: it is said once,
// and what was counted meanwhile arrives later, at the latest with the last push of a stop.
func TestMetricsWhileTheCollectorIsAway(t *testing.T) {
	c := otlptest.Start(t)
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		t.Run(protocol, func(t *testing.T) {
			url := map[bool]string{false: c.URL, true: c.GRPC}[protocol == "grpc"]
			registry := prometheus.NewRegistry()
			counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "away_total", Help: "Counted."})
			registry.MustRegister(counter)
			m, log := openMetrics(t, registry, map[string]string{
				"OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_EXPORTER_OTLP_PROTOCOL": protocol, "OTEL_EXPORTER_OTLP_TIMEOUT": "50", "OTEL_METRIC_EXPORT_INTERVAL": "100",
			})
			c.Refuse(true)
			for range 3 {
				counter.Inc()
				m.push(t.Context())
			}
			c.Refuse(false)
			c.Hold()
			m.push(t.Context())
			c.Release()
			if log.count("do not arrive") != 1 {
				t.Errorf("the log has %s", &log.buf)
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- m.Run(ctx) }()
			await.That(t, "metrics arrive again", func() bool { return lastOf(c, "away_total") == 3 && log.count("arrive at the collector again") == 1 })
			counter.Inc()
			stop() // before the next push, or after it
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if got := lastOf(c, "away_total"); got != 4 {
				t.Errorf("the last push had %v, want 4", got)
			}
		})
	}
}

// lastOf returns the last value of a counter that has arrived.
func lastOf(c *otlptest.Collector, name string) (value float64) {
	for _, m := range c.Metrics() {
		if m.GetName() == name {
			value = m.GetSum().GetDataPoints()[0].GetAsDouble()
		}
	}
	return value
}

// TestMetricsOffByDefault: an endpoint that traces go to does not have metrics pushed.
func TestMetricsOffByDefault(t *testing.T) {
	for name, c := range map[string]struct {
		values map[string]string
		on     bool
	}{
		"nothing is set":     {nil, false},
		"an endpoint":        {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, false},
		"an exporter":        {map[string]string{"OTEL_METRICS_EXPORTER": "otlp"}, true},
		"none":               {map[string]string{"OTEL_METRICS_EXPORTER": "none"}, false},
		"all is disabled":    {map[string]string{"OTEL_METRICS_EXPORTER": "otlp", "OTEL_SDK_DISABLED": "true"}, false},
		"metrics, no traces": {map[string]string{"OTEL_METRICS_EXPORTER": "otlp", "OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, true},
	} {
		cfg, err := Read(func(name string) string { return c.values[name] })
		if err != nil || cfg.MetricsOn() != c.on {
			t.Errorf("%s: on is %v, error %v", name, cfg.MetricsOn(), err)
		}
	}
	if _, err := Read(func(name string) string {
		return map[string]string{"OTEL_METRIC_EXPORT_INTERVAL": "99"}[name]
	}); err == nil {
		t.Error("an interval of 99 ms is taken")
	}
}
