//go:build cgo

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/corpus/datasets"
)

// functionList names the functions that a question may call, one a line. It is made of
// DuckDB's catalogue by the test of this file: all scalar functions and aggregates but those
// of refusedFunctions, and of the functions that return tables those of allowedTables.
//
//go:embed functions.txt
var functionList string

var allowedFunctions = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.Lines(functionList) {
		all[strings.TrimSuffix(name, "\n")] = true
	}
	return all
}()

// checkFunctions makes sure that sql calls nothing but functions on the list. DuckDB has
// functions that change what a database does or write where nobody asked, and a lock of its
// settings does not hold them. What a view is made of is not looked at: a question makes
// none.
func (d *database) checkFunctions(ctx context.Context, sql string) error {
	rows, err := d.ask(ctx, "SELECT json_serialize_sql("+literal(sql)+", skip_null := true, skip_empty := true)::VARCHAR", 1)
	if err != nil {
		return err
	}
	tree, ok := rows[0][0].(string)
	if !ok {
		return failure(datasets.ErrInternal, "the query could not be looked through", fmt.Sprint(rows))
	}
	return walk(tree)
}

// node is what an object of a parsed statement says of itself.
type node struct{ class, kind, function, table string }

// settingsView is the view of the catalogue that shows the settings, and so the paths of the
// files that may be read.
const settingsView = "pg_settings"

// walk finds the functions of a parsed statement, however deep it is.
func walk(tree string) error {
	d := json.NewDecoder(strings.NewReader(tree))
	var open []node // an array is one without members
	var arrays []bool
	key := "" // whose value comes next; "" = a key comes, or there are none
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the parsed query: %w", err)
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				open, arrays, key = append(open, node{}), append(arrays, t == '['), ""
				continue
			}
			if err := open[len(open)-1].check(); err != nil {
				return err
			}
			open, arrays, key = open[:len(open)-1], arrays[:len(arrays)-1], ""
		default:
			if arrays[len(arrays)-1] {
				continue
			}
			if key == "" {
				key = t.(string)
				continue
			}
			if err := open[len(open)-1].set(key, t); err != nil {
				return err
			}
			key = ""
		}
	}
}

func (n *node) set(key string, value json.Token) error {
	text, _ := value.(string)
	switch key {
	case "class":
		n.class = text
	case "type":
		n.kind = text
	case "function_name":
		n.function = strings.ToLower(text)
	case "table_name":
		n.table = strings.ToLower(text)
	case "error":
		if value == true {
			return failure(datasets.ErrSQL, "a query is one SELECT; nothing else is run", "")
		}
	}
	return nil
}

// check refuses a function that is not on the list, and the view of the settings. A window
// function that is no aggregate has a kind of its own.
func (n *node) check() error {
	if n.kind == "BASE_TABLE" && n.table == settingsView {
		return failure(datasets.ErrSQL, "a query cannot read the settings of the database", "")
	}
	called := n.class == "FUNCTION" || n.class == "WINDOW" && n.kind == "WINDOW_AGGREGATE"
	if !called && n.function == "" || n.class == "WINDOW" && !called || allowedFunctions[n.function] {
		return nil
	}
	return failure(datasets.ErrSQL, "a query cannot call the function "+strconv.Quote(n.function)+": it is none of those that a question needs", "")
}
