package work

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Progress is how far a job has come. In JSON each counter is a member of its own,
// beside the others.
type Progress struct {
	Stage          string
	Percent        int      // 0 to 100; see PercentDone. It never decreases within one attempt
	Counters       Counters // what jobs of this type count
	ItemsTotal     int      // 0 is unknown
	ItemsProcessed int
	Message        string
}

// Counters are what the jobs of a type count, in the order in which they are shown.
type Counters []Counter

// Counter is one of the numbers that a job counts.
type Counter struct {
	Name  string
	Value int
}

// Value returns the value of a counter, 0 without it.
func (cs Counters) Value(name string) int {
	for _, c := range cs {
		if c.Name == name {
			return c.Value
		}
	}
	return 0
}

// PercentDone returns how much of a total is done as a whole number, rounded down:
// 100 only when all of it is. It is 0 of nothing.
func PercentDone(done, total int) int {
	if total <= 0 {
		return 0
	}
	return min(max(done, 0), total) * 100 / total
}

// onWire returns the counters as the API shows them. It shows those of an ingestion in
// the progress of any job, as 0, because existing clients read them there.
func (cs Counters) onWire() Counters {
	all := IngestionProgress{}.Counters()
	for _, c := range cs {
		all = all.with(c)
	}
	return all
}

// with returns cs with the value of c.
func (cs Counters) with(c Counter) Counters {
	for i := range cs {
		if cs[i].Name == c.Name {
			cs[i].Value = c.Value
			return cs
		}
	}
	return append(cs, c)
}

// MarshalJSON returns the progress as the API shows it and rows keep it.
func (p Progress) MarshalJSON() ([]byte, error) {
	var o jsonObject
	o.text("stage", p.Stage)
	o.number("percent", p.Percent)
	for _, c := range p.Counters.onWire() {
		o.number(c.Name, c.Value)
	}
	if p.ItemsTotal != 0 {
		o.number("items_total", p.ItemsTotal)
	}
	if p.ItemsProcessed != 0 {
		o.number("items_processed", p.ItemsProcessed)
	}
	if p.Message != "" {
		o.text("message", p.Message)
	}
	return o.bytes(), nil
}

// UnmarshalJSON reads a progress that MarshalJSON wrote. A percentage with a
// fraction, as older servers stored it, is rounded down; every other whole number is a
// counter, and what is neither is left out.
func (p *Progress) UnmarshalJSON(text []byte) error {
	if string(bytes.TrimSpace(text)) == "null" {
		return nil
	}
	var read Progress
	err := eachMember(text, func(name string, value json.RawMessage) error {
		switch name {
		case "stage":
			return json.Unmarshal(value, &read.Stage)
		case "message":
			return json.Unmarshal(value, &read.Message)
		case "items_total":
			return json.Unmarshal(value, &read.ItemsTotal)
		case "items_processed":
			return json.Unmarshal(value, &read.ItemsProcessed)
		case "percent":
			var percent float64
			err := json.Unmarshal(value, &percent)
			read.Percent = int(math.Floor(min(max(percent, 0), 100)))
			return err
		}
		var count int
		if json.Unmarshal(value, &count) == nil {
			read.Counters = append(read.Counters, Counter{Name: name, Value: count})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("decode a progress: %w", err)
	}
	*p = read
	return nil
}

// wholePercent returns the payload of a progress event as MarshalJSON writes it today:
// older servers stored percentages with a fraction.
func wholePercent(payload json.RawMessage) json.RawMessage {
	_, percent, found := bytes.Cut(payload, []byte(`"percent":`))
	number := bytes.TrimLeft(percent, " ")
	end := bytes.IndexAny(number, ",}")
	if !found || end < 0 || !bytes.ContainsAny(number[:end], ".eE") {
		return payload
	}
	var p Progress
	if json.Unmarshal(payload, &p) != nil {
		return payload
	}
	text, err := json.Marshal(p)
	if err != nil {
		return payload
	}
	return text
}
