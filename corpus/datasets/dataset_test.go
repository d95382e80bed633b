package datasets

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

func TestDatasetQuery(t *testing.T) {
	good := Query{SQL: "SELECT 1\n-- a comment", Datasets: []Dataset{{"https://a.example/x.parquet", "sales"}, {"https://a.example/y.parquet", "_Y2"}}, Limit: 10}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(q *Query){
		"sql: must not be empty":                             func(q *Query) { q.SQL = " \n" },
		"sql: must be valid UTF-8":                           func(q *Query) { q.SQL = "a\x00" },
		"sql: must have at most":                             func(q *Query) { q.SQL = strings.Repeat("x", 100_001) },
		"limit: must be at most 1000":                        func(q *Query) { q.Limit = 1001 },
		"limit: must be at least 1":                          func(q *Query) { q.Limit = 0 },
		"datasets: must be at most 16":                       func(q *Query) { q.Datasets = make([]Dataset, 17) },
		"datasets[0].url: must not be empty":                 func(q *Query) { q.Datasets = []Dataset{{"", "x"}} },
		"datasets[0].table_name: must be a letter":           func(q *Query) { q.Datasets = []Dataset{{"u", `x"; DROP`}} },
		"datasets[1].table_name: must differ from the other": func(q *Query) { q.Datasets = []Dataset{{"u", "a"}, {"u", "A"}} },
	} {
		q := good
		change(&q)
		if err := q.Validate(); kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(kappa.ErrorMessage(err), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDatasetError(t *testing.T) {
	place := "line 1"
	err := &Error{Type: ErrSQL, Message: "no such column", Details: &place}
	if kappa.ErrorCode(err) != kappa.CodeInvalid || kappa.ErrorMessage(err) != "no such column: line 1" {
		t.Errorf("got %s, %q", kappa.ErrorCode(err), kappa.ErrorMessage(err))
	}
	for _, c := range []ErrorType{ErrValidation, ErrNetwork, ErrSQL, ErrTimeout, ErrMemory, ErrInternal} {
		if known := c.code() != kappa.CodeInternal; known == (c == ErrInternal) {
			t.Errorf("%s has the code %s", c, c.code())
		}
	}
}
