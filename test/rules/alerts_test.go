package rules

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"go.yaml.in/yaml/v3"
)

const testsFile = "../../deploy/prometheus/kappa.rules.test.yml"

// unitTest is one of the file of unit tests.
type unitTest struct {
	Name        string
	Interval    model.Duration
	InputSeries []struct{ Series, Values string } `yaml:"input_series"`
	Alerts      []alertTest                       `yaml:"alert_rule_test"`
}

// alertTest says which alerts fire at a time.
type alertTest struct {
	At   model.Duration `yaml:"eval_time"`
	Name string         `yaml:"alertname"`
	Want []struct {
		Labels map[string]string `yaml:"exp_labels"`
	} `yaml:"exp_alerts"`
}

// TestAlerts runs the unit tests of the rules. Each alert has to fire in one of them, and in
// one not.
func TestAlerts(t *testing.T) {
	var file struct {
		Every model.Duration `yaml:"evaluation_interval"`
		Tests []unitTest
	}
	text, err := os.ReadFile(testsFile)
	check(t, err)
	check(t, yaml.Unmarshal(text, &file))
	fires := map[string]bool{}
	for _, u := range file.Tests {
		t.Run(u.Name, func(t *testing.T) {
			for _, name := range u.run(t, time.Duration(file.Every)) {
				fires[name] = true
			}
		})
	}
	_, alerts := rulesOf(t)
	for _, name := range alerts {
		if !fires[name] {
			t.Errorf("%s has no test in which it fires", name)
		}
	}
}

// run evaluates the rules over the time of the series, and returns which alerts fired as
// wanted.
func (u unitTest) run(t *testing.T, every time.Duration) (fired []string) {
	t.Helper()
	load := "load " + u.Interval.String() + "\n"
	for _, s := range u.InputSeries {
		load += fmt.Sprintf("  %s %s\n", s.Series, s.Values)
	}
	suite, err := promqltest.NewLazyLoader(load, promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true})
	check(t, err)
	defer suite.Close()
	groups, errs := rules.NewManager(&rules.ManagerOptions{
		QueryFunc: rules.EngineQueryFunc(suite.QueryEngine(), suite.Storage()), AppendableV2: suite.Storage(), Context: t.Context(),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {}, Logger: slog.New(slog.DiscardHandler), Parser: parser.NewParser(parser.Options{}),
	}).LoadGroups(every, labels.EmptyLabels(), "", nil, false, rulesFile)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	end := 2 * time.Hour
	if len(u.Alerts) > 0 {
		end = time.Duration(slices.MaxFunc(u.Alerts, func(a, b alertTest) int { return int(a.At - b.At) }).At)
	}
	for at := time.Duration(0); at <= end; at += every {
		now := time.Unix(0, 0).UTC().Add(at)
		suite.WithSamplesTill(now, func(err error) {
			check(t, err)
			for _, g := range groups {
				g.Eval(suite.Context(), now)
			}
		})
		firing := firingOf(t, groups)
		if len(u.Alerts) == 0 && len(firing) > 0 {
			t.Fatalf("after %s %v fire", at, firing)
		}
		for _, a := range u.Alerts {
			if time.Duration(a.At) != at {
				continue
			}
			if got, want := firing[a.Name], a.want(); !slices.Equal(got, want) {
				t.Errorf("%s after %s: %s fire, want %s", a.Name, at, got, want)
			} else if len(got) > 0 {
				fired = append(fired, a.Name)
			}
		}
	}
	return fired
}

// want returns the labels of the alerts that are to fire.
func (a alertTest) want() (list []string) {
	for _, w := range a.Want {
		list = append(list, labels.NewBuilder(labels.FromMap(w.Labels)).Set(labels.AlertName, a.Name).Labels().String())
	}
	slices.Sort(list)
	return list
}

// firingOf returns the labels of the alerts that fire, by name. A rule that fails, or a text
// that cannot be made, is a failure of the test.
func firingOf(t *testing.T, groups map[string]*rules.Group) map[string][]string {
	t.Helper()
	firing := map[string][]string{}
	for _, g := range groups {
		for _, r := range g.Rules() {
			if err := r.LastError(); err != nil {
				t.Fatalf("%s: %v", r.Name(), err)
			}
			alerting, ok := r.(*rules.AlertingRule)
			if !ok {
				continue
			}
			for _, a := range alerting.ActiveAlerts() {
				if a.State != rules.StateFiring {
					continue
				}
				firing[r.Name()] = append(firing[r.Name()], a.Labels.String())
				a.Annotations.Range(func(l labels.Label) {
					if strings.Contains(l.Value, "error expanding template") || l.Value == "" {
						t.Errorf("%s: %s is %q", r.Name(), l.Name, l.Value)
					}
				})
			}
			slices.Sort(firing[r.Name()])
		}
	}
	return firing
}
