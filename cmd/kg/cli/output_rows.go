package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// object is one of an answer: its members as text, in their order.
type object struct {
	names  []string
	values map[string]string
}

// nameMembers are the members that name an object, the most telling first.
var nameMembers = []string{"job_id", "concept_id", "document_id", "source_id", "name", "username", "role_name", "group_name", "ontology", "relationship_type", "key_id", "id"}

// rowsOf returns objects of an answer as rows.
func rowsOf(items []json.RawMessage) ([]object, error) {
	rows := make([]object, len(items))
	for i, item := range items {
		rows[i].values = map[string]string{}
		if err := rows[i].read("", item); err != nil {
			return nil, fmt.Errorf("the answer is not JSON: %w", err)
		}
	}
	return rows, nil
}

// read adds the members of an object, those of an object in it by their path, as a.b. What is no
// object is the one member value.
func (r *object) read(path string, data json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		r.put(strings.TrimSuffix(path+"value", "."), data)
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		member := fmt.Sprint(path, name)
		r.put(member, value)
		if value[0] == '{' {
			if err := r.read(member+".", value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *object) put(member string, value json.RawMessage) {
	text := string(value)
	switch {
	case text == "null":
		text = ""
	case text[0] == '"':
		_ = json.Unmarshal(value, &text) // it was decoded before
	case text[0] == '{' || text[0] == '[':
		var b bytes.Buffer
		_ = json.Compact(&b, value)
		text = b.String()
	}
	r.names, r.values[member] = append(r.names, member), text
}

// columnsOf returns the columns that are asked for; without any, each member of the objects
// themselves, in the order in which they come.
func (a *App) columnsOf(rows []object) ([]string, error) {
	var own, all []string
	for _, r := range rows {
		for _, name := range r.names {
			if !slices.Contains(all, name) {
				all = append(all, name)
				if !strings.Contains(name, ".") {
					own = append(own, name)
				}
			}
		}
	}
	if len(a.columns) == 0 {
		return own, nil
	}
	for _, c := range a.columns {
		if len(rows) > 0 && !slices.Contains(all, c) {
			return nil, exit.Usage("--columns: nothing has %q; there are %s", c, strings.Join(own, ", "))
		}
	}
	return a.columns, nil
}

// showRowsOf shows objects as CSV, by their names, or, with --columns, as a table.
func (a *App) showRowsOf(items []json.RawMessage) error {
	rows, err := rowsOf(items)
	if err != nil {
		return err
	}
	if a.output == formatName {
		return a.showNames(rows)
	}
	names, err := a.columnsOf(rows)
	if err != nil || len(names) == 0 { // there is nothing, of which nobody knows what it has
		return err
	}
	lines := make([][]string, len(rows))
	for i, r := range rows {
		for _, c := range names {
			lines[i] = append(lines[i], r.values[c])
		}
	}
	if a.output == formatTable {
		g := show.NewGrid(columns(names...)...)
		for _, line := range lines {
			g.Add(line...)
		}
		a.writeGrid(g, nil)
		return nil
	}
	w := csv.NewWriter(a.out)
	return w.WriteAll(append([][]string{names}, lines...))
}

// showNames writes what names each object, a line each, for other commands.
func (a *App) showNames(rows []object) error {
	for _, r := range rows {
		i := slices.IndexFunc(nameMembers, func(m string) bool { return r.values[m] != "" })
		if i < 0 {
			return errors.New("the result has nothing that names it; take -o json, or csv with --columns")
		}
		if _, err := fmt.Fprintln(a.out, r.values[nameMembers[i]]); err != nil {
			return err
		}
	}
	return nil
}

// showYAML writes an answer as YAML.
func (a *App) showYAML(body json.RawMessage) error {
	text, err := yaml.JSONToYAML(body)
	if err != nil {
		return fmt.Errorf("the answer is not JSON: %w", err)
	}
	_, err = a.out.Write(text)
	return err
}
