package wire

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// AnyQueue stands for all queues that a list does not name. It comes last.
const AnyQueue = "*"

// MaxQueueName is how many bytes the name of a queue may have.
const MaxQueueName = 64

// IsQueue reports whether s is the name of a queue: 1 to 64 letters, digits and _.
func IsQueue(s string) bool {
	if s == "" || len(s) > MaxQueueName {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// Group is a slot group: a list of queues in order of preference, which may end in
// AnyQueue, and a number of slots.
type Group struct {
	Queues []string
	Slots  int
}

// String returns the group as ParseGroups reads it.
func (g Group) String() string {
	return strings.Join(g.Queues, ",") + ":" + strconv.Itoa(g.Slots)
}

// Key returns the list of queues as the queues map of a join names it.
func (g Group) Key() string { return strings.Join(g.Queues, ">") }

// FormatGroups returns groups as ParseGroups reads them.
func FormatGroups(groups []Group) string {
	words := make([]string, len(groups))
	for i, g := range groups {
		words[i] = g.String()
	}
	return strings.Join(words, " ")
}

// ParseGroups reads slot groups such as "fast_lane:1 manual,*:4". The error names the
// first group that breaks a rule, and the rule. The warnings name queues and groups
// that stand there twice, which is allowed.
func ParseGroups(text string) (groups []Group, warnings []string, err error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) })
	if len(words) == 0 {
		return nil, nil, errors.New(`at least one group is needed, e.g. "manual,*:4"`)
	}
	slots, seen := 0, map[string]int{}
	for i, word := range words {
		g, err := parseGroup(word)
		if err != nil {
			return nil, nil, fmt.Errorf("group %d %q: %w", i+1, word, err)
		}
		for j, queue := range g.Queues {
			if slices.Contains(g.Queues[:j], queue) {
				warnings = append(warnings, fmt.Sprintf("group %d %q: queue %q is named twice; the first place counts", i+1, word, queue))
			}
		}
		if first, ok := seen[g.Key()]; ok {
			warnings = append(warnings, fmt.Sprintf("group %d %q: the same queues as group %d; each claims by itself", i+1, word, first))
		} else {
			seen[g.Key()] = i + 1
		}
		groups, slots = append(groups, g), slots+g.Slots
	}
	if slots > MaxSlots {
		return nil, nil, fmt.Errorf("at most %d slots in all groups together, got %d", MaxSlots, slots)
	}
	return groups, warnings, nil
}

// parseGroup reads one group. The rules come in the order in which they are reported.
func parseGroup(word string) (Group, error) {
	at := strings.LastIndexByte(word, ':')
	if at < 0 || at == len(word)-1 {
		return Group{}, errors.New(`":count" is missing`)
	}
	chain, count := word[:at], word[at+1:]
	mixed := strings.Contains(chain, ",") && strings.Contains(chain, ">")
	names := strings.Split(strings.ReplaceAll(chain, ">", ","), ",")
	if slices.Contains(names, "") {
		return Group{}, errors.New("empty queue name")
	}
	slots, ok := slotCount(count)
	if !ok {
		return Group{}, fmt.Errorf("count must be a whole number from 1 to %d", MaxSlots)
	}
	for _, name := range names {
		if name != AnyQueue && !IsQueue(name) {
			if len(name) > MaxQueueName {
				return Group{}, fmt.Errorf("queue %q may have at most %d characters", name, MaxQueueName)
			}
			return Group{}, fmt.Errorf("queue %q may hold only letters, digits and _", name)
		}
	}
	if i := slices.Index(names, AnyQueue); i >= 0 && i != len(names)-1 {
		return Group{}, errors.New(`"*" must come last`)
	}
	if mixed {
		return Group{}, errors.New(`use either "," or ">"`)
	}
	return Group{Queues: names, Slots: slots}, nil
}

// slotCount reads a number without a sign or leading zeros.
func slotCount(text string) (int, bool) {
	if text[0] < '1' || text[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 16)
	return int(n), err == nil && n <= MaxSlots
}

// CheckQueues reports what is wrong with the list of queues of a claim or of a group.
// The messages are those of an error reply.
func CheckQueues(queues []string) error {
	if len(queues) == 0 {
		return errors.New("queues: name at least one queue")
	}
	if i := slices.Index(queues, AnyQueue); i >= 0 && i != len(queues)-1 {
		return errors.New(`queues: "*" must come last`)
	}
	return nil
}
