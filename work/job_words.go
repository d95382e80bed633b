package work

import (
	"fmt"
	"hash/fnv"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// jobWord is a word of a filter of jobs: how it is read into one, and written again.
type jobWord struct {
	name string
	read func(f *JobFilter, value string) (rule string)
	text func(f JobFilter) string // "" = not given
}

// jobWords are the words of a filter of jobs but data, which may be given more than once.
func jobWords() []jobWord {
	return slices.Concat(textWords(), rangeWords(), []jobWord{
		{"status", readStatuses, func(f JobFilter) string { return joinStatuses(f.Statuses) }},
		flagWord("quarantined", func(f *JobFilter) **bool { return &f.Quarantined }),
		flagWord("paused", func(f *JobFilter) **bool { return &f.Paused }),
		{"dead", func(f *JobFilter, value string) (rule string) {
			on, rule := readBool(value)
			f.Dead = on
			return rule
		}, func(f JobFilter) string {
			if f.Dead {
				return "true"
			}
			return ""
		}},
	})
}

// textWords are the words that are a text of the filter as they are.
func textWords() (words []jobWord) {
	add := func(name string, field func(f *JobFilter) *string) {
		words = append(words, jobWord{name, func(f *JobFilter, value string) string { *field(f) = value; return "" }, func(f JobFilter) string { return *field(&f) }})
	}
	add("ontology", func(f *JobFilter) *string { return &f.Ontology })
	add("job_type", func(f *JobFilter) *string { return &f.Type })
	add("lane", func(f *JobFilter) *string { return &f.Lane })
	add("queue", func(f *JobFilter) *string { return &f.Queue })
	add("client_id", func(f *JobFilter) *string { return &f.User })
	add("worker", func(f *JobFilter) *string { return &f.Worker })
	add("parent", func(f *JobFilter) *string { return &f.Parent })
	add("error", func(f *JobFilter) *string { return &f.Error })
	add("error_key", func(f *JobFilter) *string { return &f.ErrorKey })
	add("file", func(f *JobFilter) *string { return &f.File })
	add("waits_for", func(f *JobFilter) *string { return (*string)(&f.WaitsFor) })
	add("sort", func(f *JobFilter) *string { return (*string)(&f.Sort) })
	add("count", func(f *JobFilter) *string { return (*string)(&f.Count) })
	add("cursor", func(f *JobFilter) *string { return &f.Cursor })
	return words
}

// rangeWords are the words that are numbers and times.
func rangeWords() []jobWord {
	words := []jobWord{
		{"priority", readSpan(func(f *JobFilter) *Span { return &f.Priority }), func(f JobFilter) string { return f.Priority.String() }},
		{"attempt", readSpan(func(f *JobFilter) *Span { return &f.Attempt }), func(f JobFilter) string { return f.Attempt.String() }},
		{"limit", readNumber(func(f *JobFilter) *int { return &f.Limit }), func(f JobFilter) string { return numberText(f.Limit) }},
		{"offset", readNumber(func(f *JobFilter) *int { return &f.Offset }), func(f JobFilter) string { return numberText(f.Offset) }},
		{"age", func(f *JobFilter, value string) (rule string) {
			if !f.Submitted.Any() {
				return "must not come with submitted_from or submitted_to"
			}
			f.Submitted, rule = parseAge(value)
			return rule
		}, func(JobFilter) string { return "" }}, // it is written as when a job was submitted
	}
	add := func(name string, moment func(f *JobFilter) *Moment) {
		words = append(words, jobWord{name, func(f *JobFilter, value string) (rule string) {
			*moment(f), rule = ParseMoment(value)
			return rule
		}, func(f JobFilter) string { return moment(&f).String() }})
	}
	add("submitted_from", func(f *JobFilter) *Moment { return &f.Submitted.From })
	add("submitted_to", func(f *JobFilter) *Moment { return &f.Submitted.To })
	add("started_from", func(f *JobFilter) *Moment { return &f.Started.From })
	add("started_to", func(f *JobFilter) *Moment { return &f.Started.To })
	add("ended_from", func(f *JobFilter) *Moment { return &f.Ended.From })
	add("ended_to", func(f *JobFilter) *Moment { return &f.Ended.To })
	return words
}

func readSpan(field func(f *JobFilter) *Span) func(f *JobFilter, value string) string {
	return func(f *JobFilter, value string) (rule string) {
		*field(f), rule = parseSpan(value)
		return rule
	}
}

func readNumber(field func(f *JobFilter) *int) func(f *JobFilter, value string) string {
	return func(f *JobFilter, value string) string {
		n, err := strconv.Atoi(value)
		if err != nil {
			return "must be a whole number, got " + check.Quote(value)
		}
		*field(f) = n
		return ""
	}
}

func numberText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func readBool(value string) (on bool, rule string) {
	switch strings.ToLower(value) {
	case "true", "1", "yes", "on":
		return true, ""
	case "false", "0", "no", "off":
		return false, ""
	}
	return false, "must be true or false, got " + check.Quote(value)
}

func flagWord(name string, field func(f *JobFilter) **bool) jobWord {
	return jobWord{name, func(f *JobFilter, value string) string {
		on, rule := readBool(value)
		*field(f) = &on
		return rule
	}, func(f JobFilter) string {
		if on := *field(&f); on != nil {
			return strconv.FormatBool(*on)
		}
		return ""
	}}
}

// readStatuses reads statuses with commas.
func readStatuses(f *JobFilter, value string) string {
	for word := range strings.SplitSeq(value, ",") {
		s, err := ParseStatus(strings.TrimSpace(word))
		if err != nil {
			return strings.TrimPrefix(kappa.ErrorMessage(err), "status: ")
		}
		if !slices.Contains(f.Statuses, s) {
			f.Statuses = append(f.Statuses, s)
		}
	}
	return ""
}

func joinStatuses(list []Status) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = string(s)
	}
	return strings.Join(words, ",")
}

// JobFilterWords returns the words that a filter of jobs may have, in order; data.NAME stands
// for any member of a job's data.
func JobFilterWords() []string {
	names := []string{"data", "data.NAME"}
	for _, w := range jobWords() {
		names = append(names, w.name)
	}
	slices.Sort(names)
	return names
}

// pageWords are the words of a list that select nothing.
func pageWords() []string { return []string{"sort", "count", "limit", "offset", "cursor"} }

// SelectingWords returns the words of a filter that select jobs, in order.
func SelectingWords() []string {
	return slices.DeleteFunc(JobFilterWords(), func(word string) bool { return slices.Contains(pageWords(), word) })
}

// SelectsAll reports whether f selects every job: nothing narrows it.
func (f JobFilter) SelectsAll() bool {
	words := f.Words()
	for _, word := range pageWords() {
		words.Del(word)
	}
	if len(f.CanBe()) == len(Statuses()) {
		words.Del("status")
	}
	if (f.Priority.Least == nil || *f.Priority.Least <= MinPriority) && (f.Priority.Most == nil || *f.Priority.Most >= MaxPriority) {
		words.Del("priority")
	}
	if (f.Attempt.Least == nil || *f.Attempt.Least <= 0) && (f.Attempt.Most == nil || *f.Attempt.Most >= maxSpan) {
		words.Del("attempt")
	}
	return len(words) == 0 && len(f.IDs) == 0
}

// ParseActFilter reads the filter of an act: its words are those of ParseJobFilter that select
// jobs. It returns a kappa.CodeInvalid Error also for what Validate says.
func ParseActFilter(words map[string][]string) (JobFilter, error) {
	var r check.Rules
	for _, word := range pageWords() {
		if len(words[word]) > 0 {
			r.Add("query", word, "selects no jobs, and so is no filter of an act; there are "+strings.Join(SelectingWords(), ", "))
		}
	}
	if err := r.Err(); err != nil {
		return JobFilter{}, err
	}
	f, err := ParseJobFilter(words)
	if err != nil {
		return f, err
	}
	valid := f
	valid.Limit = 1
	return f, valid.Validate()
}

// ParseJobFilter reads the words of a query, each as its value; data.NAME=VALUE is a member of
// a job's data, as is data=NAME=VALUE, which may be given more than once. Empty values count
// as absent. It returns a kappa.CodeInvalid Error that names every broken rule, and for a word
// that there is not those that there are; Validate says what else f breaks.
func ParseJobFilter(words map[string][]string) (JobFilter, error) {
	var f JobFilter
	var r check.Rules
	known := map[string]jobWord{}
	for _, w := range jobWords() {
		known[w.name] = w
	}
	names := slices.Sorted(maps.Keys(words))
	slices.SortStableFunc(names, func(a, b string) int { return strings.Compare(ageLast(a), ageLast(b)) })
	for _, name := range names {
		values := slices.DeleteFunc(slices.Clone(words[name]), func(v string) bool { return v == "" })
		member, ofData := strings.CutPrefix(name, "data.")
		w, ok := known[name]
		switch {
		case name == "data":
			r.Add("query", "data", f.readData("", values))
		case ofData:
			r.Add("query", "data", f.readData(member, values))
		case !ok:
			r.Add("query", check.Quote(name), "is no filter of jobs; there are "+strings.Join(JobFilterWords(), ", "))
		case len(values) > 1:
			r.Add("query", name, "must be given once")
		case len(values) == 1:
			r.Add("query", name, w.read(&f, values[0]))
		}
	}
	return f, r.Err()
}

// ageLast sorts age behind the other words, which it must not come with.
func ageLast(name string) string {
	if name == "age" {
		return "~"
	}
	return ""
}

// readData reads members of a job's data: NAME=VALUE each, or values of the one that is named.
func (f *JobFilter) readData(member string, values []string) string {
	for _, value := range values {
		name := member
		if name == "" {
			var ok bool
			if name, value, ok = strings.Cut(value, "="); !ok || name == "" {
				return "must be NAME=VALUE, got " + check.Quote(name)
			}
		}
		f.Data = append(f.Data, DataValue{name, value})
	}
	return ""
}

// Words returns f as words that ParseJobFilter reads, without what is its default.
func (f JobFilter) Words() url.Values {
	words := url.Values{}
	for _, w := range jobWords() {
		if text := w.text(f); text != "" {
			words.Set(w.name, text)
		}
	}
	for _, d := range f.Data {
		words.Add("data", d.Name+"="+d.Value)
	}
	return words
}

// Fingerprint tells the lists of two filters apart: it is of what f selects and in which order.
func (f JobFilter) Fingerprint() string {
	f.Limit, f.Offset, f.Cursor, f.Count = 0, 0, "", ""
	if f.Sort == SortNewest {
		f.Sort = ""
	}
	f.Statuses = slices.Sorted(slices.Values(f.Statuses))
	h := fnv.New32a()
	h.Write([]byte(f.Words().Encode()))
	return fmt.Sprintf("%08x", h.Sum32())
}
