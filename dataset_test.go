package kappa

import (
	"strings"
	"testing"
)

func TestDatasetQuery(t *testing.T) {
	good := DatasetQuery{SQL: "SELECT 1\n-- a comment", Datasets: []Dataset{{"https://a.example/x.parquet", "sales"}, {"https://a.example/y.parquet", "_Y2"}}, Limit: 10}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(q *DatasetQuery){
		"sql: must not be empty":                             func(q *DatasetQuery) { q.SQL = " \n" },
		"sql: must be valid UTF-8":                           func(q *DatasetQuery) { q.SQL = "a\x00" },
		"sql: must have at most":                             func(q *DatasetQuery) { q.SQL = strings.Repeat("x", 100_001) },
		"limit: must be at most 1000":                        func(q *DatasetQuery) { q.Limit = 1001 },
		"limit: must be at least 1":                          func(q *DatasetQuery) { q.Limit = 0 },
		"datasets: must be at most 16":                       func(q *DatasetQuery) { q.Datasets = make([]Dataset, 17) },
		"datasets[0].url: must not be empty":                 func(q *DatasetQuery) { q.Datasets = []Dataset{{"", "x"}} },
		"datasets[0].table_name: must be a letter":           func(q *DatasetQuery) { q.Datasets = []Dataset{{"u", `x"; DROP`}} },
		"datasets[1].table_name: must differ from the other": func(q *DatasetQuery) { q.Datasets = []Dataset{{"u", "a"}, {"u", "A"}} },
	} {
		q := good
		change(&q)
		if err := q.Validate(); ErrorCode(err) != CodeInvalid || !strings.Contains(ErrorMessage(err), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDatasetError(t *testing.T) {
	place := "line 1"
	err := &DatasetError{Type: DatasetSQL, Message: "no such column", Details: &place}
	if ErrorCode(err) != CodeInvalid || ErrorMessage(err) != "no such column: line 1" {
		t.Errorf("got %s, %q", ErrorCode(err), ErrorMessage(err))
	}
	for _, c := range []DatasetErrorType{DatasetValidation, DatasetNetwork, DatasetSQL, DatasetTimeout, DatasetMemory, DatasetInternal} {
		if known := c.code() != CodeInternal; known == (c == DatasetInternal) {
			t.Errorf("%s has the code %s", c, c.code())
		}
	}
}
