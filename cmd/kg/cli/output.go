package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// The forms that a result can be shown in.
const (
	formatTable = "table"
	formatJSON  = "json"
	formatJSONL = "jsonl"
	formatYAML  = "yaml"
	formatCSV   = "csv"
	formatName  = "name"
)

func formats() []string {
	return []string{formatTable, formatJSON, formatJSONL, formatYAML, formatCSV, formatName}
}

// showAnswer shows the API's last answer: as table draws it, or as the API sent
// it. With jsonl each element of the member list is a line; an empty list means
// that the answer is itself the array, or one object.
func (a *App) showAnswer(list string, table func()) error {
	if a.output == formatTable && len(a.columns) == 0 {
		table()
		return nil
	}
	return a.showJSON(a.answers.answer(), list)
}

// showAnswers shows several answers: one as it is, more of them as an array.
func (a *App) showAnswers(answers []json.RawMessage) error {
	if len(answers) == 1 {
		return a.showJSON(answers[0], "")
	}
	if answers == nil {
		answers = []json.RawMessage{}
	}
	all, err := json.Marshal(answers)
	if err != nil {
		return fmt.Errorf("encode the answers: %w", err)
	}
	return a.showJSON(all, "")
}

// show shows a result that is not an answer of the API.
func (a *App) show(v any, table func()) error {
	if a.output == formatTable {
		table()
		return nil
	}
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	return a.showJSON(body, "")
}

// showJSON writes body in the form that is asked for: as a whole, or its objects as lines or rows.
func (a *App) showJSON(body json.RawMessage, list string) error {
	var b bytes.Buffer
	switch a.output {
	case formatYAML:
		return a.showYAML(body)
	case formatJSON:
		if err := json.Indent(&b, body, "", "  "); err != nil {
			return fmt.Errorf("the answer is not JSON: %w", err)
		}
		b.WriteByte('\n')
		_, err := a.out.Write(b.Bytes())
		return err
	}
	items, err := elements(body, list)
	if err != nil {
		return err
	}
	if a.output != formatJSONL {
		return a.showRowsOf(items)
	}
	for _, item := range items {
		if err := json.Compact(&b, item); err != nil {
			return fmt.Errorf("the answer is not JSON: %w", err)
		}
		b.WriteByte('\n')
	}
	_, err = a.out.Write(b.Bytes())
	return err
}

// elements returns the objects of an answer.
func elements(body json.RawMessage, list string) ([]json.RawMessage, error) {
	if list != "" {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(body, &object); err != nil {
			return nil, fmt.Errorf("the answer is not a JSON object: %w", err)
		}
		body = object[list]
	}
	if len(body) == 0 || body[0] != '[' {
		return []json.RawMessage{body}, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(body, &items); err != nil {
		return nil, fmt.Errorf("the answer is not a JSON array: %w", err)
	}
	return items, nil
}
