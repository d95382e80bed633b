package programs

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// CypherStatement is one of the statements of Cypher that are known. There is no Cypher
// behind them: each is a question of its own.
type CypherStatement struct {
	Relationships bool     // it returns relationships with their ends; else concepts
	Newest        bool     // the concepts that were made last
	Ontology      string   // only what it shows; "" = of all
	Parameter     string   // stands for the ontology; "" = none does
	IDs           []string // only these concepts, or relationships that point away from them
	Working       bool     // only those of the graph that is being built
	Types         []string // of relationships; nil = all
	Limit         int
}

const (
	defaultCypherLimit = 50
	maxCypherLimit     = 500
	maxCypherBytes     = 4 << 10
	maxCypherTypes     = 20
)

// cypherHelp says which statements are known.
const cypherHelp = `Cypher is not run here. Known are: MATCH (c:Concept) [WHERE c.ontology = '…' | c.concept_id IN ['…', …]] RETURN c [LIMIT n]; ` +
	`MATCH (c:Concept) WHERE c.created_at_epoch IS NOT NULL [AND c.ontology = '…'] RETURN c ORDER BY c.created_at_epoch DESC [LIMIT n]; ` +
	`MATCH (c:Concept)-[r:TYPE|TYPE]->(t:Concept) [WHERE c.ontology = '…' | c.concept_id IN $W_IDS] RETURN c, r, t [LIMIT n]. Ask anything else with an operation of the type api`

const (
	cypherConcept = `\(\s*(\w+)\s*:\s*Concept\s*\)`
	cypherWhere   = `(?:\s*\bWHERE\s+(.+?))?`
	cypherEnd     = `(?:\s+LIMIT\s+(\d{1,9}))?\s*;?\s*$`
	cypherText    = `(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")`
)

var (
	cypherNodes  = regexp.MustCompile(`(?is)^\s*MATCH\s*` + cypherConcept + cypherWhere + `\s*\bRETURN\s+(\w+)(\s+ORDER\s+BY\s+(\w+)\.created_at_epoch\s+DESC)?` + cypherEnd)
	cypherEdges  = regexp.MustCompile(`(?is)^\s*MATCH\s*` + cypherConcept + `\s*-\s*\[\s*(\w+)\s*(?::\s*([\w\s|:]+?))?\s*\]\s*->\s*` + cypherConcept + cypherWhere + `\s*\bRETURN\s+(\w+)\s*,\s*(\w+)\s*,\s*(\w+)` + cypherEnd)
	cypherOf     = regexp.MustCompile(`(?is)^(\w+)\.ontology\s*=\s*(?:` + cypherText + `|\$(\w+))$`)
	cypherIn     = regexp.MustCompile(`(?is)^(\w+)\.concept_id\s+IN\s*(?:(\$W_IDS)|\[(.*)\])$`)
	cypherSince  = regexp.MustCompile(`(?is)^(\w+)\.created_at_epoch\s+IS\s+NOT\s+NULL(?:\s+AND\s+(.+))?$`)
	cypherItem   = regexp.MustCompile(`(?s)^\s*` + cypherText + `\s*(?:,|$)`)
	cypherWrites = regexp.MustCompile(`(?i)\b(CREATE|SET|DELETE|MERGE|REMOVE|DROP|DETACH|CALL|LOAD|FOREACH)\b`)
	cypherTexts  = regexp.MustCompile(`(?s)` + cypherText)

	unescapeCypher = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\"`, `"`)
)

// ParseCypher reads a statement. It returns what is wrong with one that is not known, and
// which rule of programs that breaks.
func ParseCypher(text string, limit *int) (s CypherStatement, rule, message string) {
	if len(text) > maxCypherBytes {
		return s, "V031", "a statement has at most " + strconv.Itoa(maxCypherBytes) + " bytes, this one " + strconv.Itoa(len(text))
	}
	if word := cypherWrites.FindString(cypherTexts.ReplaceAllString(text, "''")); word != "" {
		return s, "V010", "a program only reads, and this statement has " + strings.ToUpper(word)
	}
	end, ok := s.read(text)
	if !ok {
		return s, "V031", cypherHelp
	}
	s.Limit = defaultCypherLimit
	if end != "" {
		s.Limit, _ = strconv.Atoi(end) // at most nine digits
	}
	if limit != nil {
		s.Limit = *limit
	}
	if s.Limit < 1 || s.Limit > maxCypherLimit {
		return s, "V024", "limit must be 1 to " + strconv.Itoa(maxCypherLimit) + ", got " + strconv.Itoa(s.Limit)
	}
	return s, "", s.check()
}

// check returns what is wrong with a value of a statement, or "".
func (s CypherStatement) check() string {
	if rule := check.OptionalName(s.Ontology, kappa.MaxOntologyName); rule != "" {
		return "the ontology " + rule
	}
	for _, id := range s.IDs {
		if rule := check.ConceptID(id); rule != "" {
			return "the id of a concept " + rule
		}
	}
	switch {
	case len(s.IDs) > MaxIDs:
		return "a statement names at most " + strconv.Itoa(MaxIDs) + " concepts, this one " + strconv.Itoa(len(s.IDs))
	case len(s.Types) > maxCypherTypes:
		return "a statement names at most " + strconv.Itoa(maxCypherTypes) + " types, this one " + strconv.Itoa(len(s.Types))
	}
	return ""
}

// read reads a statement, apart from its limit, which is end.
func (s *CypherStatement) read(text string) (end string, ok bool) {
	if m := cypherNodes.FindStringSubmatch(text); m != nil {
		s.Newest = m[4] != ""
		ok := m[3] == m[1] && (m[5] == "" || m[5] == m[1]) && s.where(m[2], m[1])
		return m[6], ok
	}
	m := cypherEdges.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	s.Relationships = true
	for kind := range strings.SplitSeq(m[3], "|") {
		if kind = strings.Trim(kind, " \t\r\n:"); kind != "" {
			s.Types = append(s.Types, kind)
		}
	}
	given, returned := []string{m[1], m[2], m[4]}, []string{m[6], m[7], m[8]}
	slices.Sort(given)
	slices.Sort(returned)
	return m[9], slices.Equal(given, returned) && len(slices.Compact(given)) == 3 && s.where(m[5], m[1])
}

// where reads the condition of a statement about a variable.
func (s *CypherStatement) where(text, variable string) bool {
	text = strings.TrimSpace(text)
	if since := cypherSince.FindStringSubmatch(text); since != nil && s.Newest {
		if since[1] != variable {
			return false
		}
		text = strings.TrimSpace(since[2])
	} else if s.Newest {
		return false
	}
	if text == "" {
		return true
	}
	if of := cypherOf.FindStringSubmatch(text); of != nil {
		s.Ontology, s.Parameter = unescapeCypher.Replace(of[2]+of[3]), of[4]
		return of[1] == variable && (s.Ontology != "" || s.Parameter != "")
	}
	in := cypherIn.FindStringSubmatch(text)
	if in == nil || in[1] != variable || s.Newest {
		return false
	}
	if s.Working = in[2] != ""; s.Working {
		return true
	}
	return s.items(in[3])
}

// items reads a list of texts.
func (s *CypherStatement) items(list string) bool {
	for list = strings.TrimSpace(list); list != ""; {
		item := cypherItem.FindStringSubmatch(list)
		if item == nil {
			return false
		}
		s.IDs = append(s.IDs, unescapeCypher.Replace(item[1]+item[2]))
		list = strings.TrimSpace(list[len(item[0]):])
	}
	return len(s.IDs) > 0
}
