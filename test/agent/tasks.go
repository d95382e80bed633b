package agent

import (
	"embed"
	"encoding/json"
	"strings"
)

//go:embed texts
var texts embed.FS

// text returns a text as a string of JSON, without its quotes.
func text(name string) string {
	body, err := texts.ReadFile("texts/" + name)
	if err != nil {
		panic(err)
	}
	raw, err := json.Marshal(string(body))
	if err != nil {
		panic(err)
	}
	return strings.Trim(string(raw), `"`)
}

// ingest is the call that has a text read, and waits for its end.
func ingest(name, ontology string) Call {
	return Call{
		Tool: "ingest", Arguments: `{"text":"` + text(name) + `","name":"` + name + `","ontology":"` + ontology + `","approve":true,"wait":120}`,
		Says: []string{"completed"}, Keep: map[string]string{strings.TrimSuffix(name, ".md"): `(job_[0-9a-f]+)`},
	}
}

// Tasks returns the tasks, of which the first has the texts read that the others ask about.
func Tasks() []Task {
	return append(append([]Task{{
		Wish:  "Read these letters, minutes and manuals",
		Calls: []Call{ingest("bridge.md", "town"), ingest("council.md", "town"), ingest("holm.md", "town"), ingest("manual.md", "works"), ingest("index.md", "words"), ingest("bar.md", "harbour")},
	}}, reading()...), writing()...)
}

// reading are the tasks that change nothing.
func reading() []Task {
	return []Task{
		{"What do you have?", []Call{{Tool: "ontologies", Arguments: `{}`, Says: []string{`"town": 3 documents`, `"works": 1 document`}}}},
		{"What is the town's collection about?", []Call{{Tool: "about", Arguments: `{"ontology":"town"}`, Says: []string{`"town": \d+ concepts`, `(?i)bridge|holm`}}}},
		{"When was the bridge opened?", []Call{{Tool: "ask", Arguments: `{"question":"When was the bridge of Arden opened?"}`, Says: []string{`^1\. "The bridge of Arden was opened in 1902\."`, `"bridge\.md" \("town"\)`}}}},
		{"How much did it cost, and who paid?", []Call{{Tool: "ask", Arguments: `{"question":"Who paid for the construction of the bridge?","ontology":"town"}`, Says: []string{`410,000 crowns`, `province paid half`}}}},
		{"Who was against closing the ferry?", []Call{{Tool: "ask", Arguments: `{"question":"Who voted against closing the ferry?"}`, Says: []string{`Mary Okafor voted against`}}}},
		{"Is there anything on the airport?", []Call{{Tool: "ask", Arguments: `{"question":"How long is the runway of the airport of Arden?"}`, Says: []string{`(?i)probably (not an|no) answer|say nothing|stands? in no document`}}}},
		{"All the fault codes of the pump", []Call{{Tool: "ask", Arguments: `{"question":"What are the fault codes of the pump P40?","ontology":"works"}`, Says: []string{`E1`, `E2`, `E3`}}}},
		{"Which documents are there of the town?", []Call{{Tool: "documents", Arguments: `{"ontology":"town"}`, Says: []string{`"bridge\.md"`, `"council\.md"`, `"holm\.md"`}, Keep: map[string]string{"minutes": `"council\.md".*id (sha256:[0-9a-f]+)`}}}},
		{"What does the agenda look like, and what was said on the school?", []Call{
			{Tool: "document", Arguments: `{"id":"{minutes}"}`, Says: []string{`"Ferry"  from \d+`, `"School"  from \d+`}},
			{Tool: "document", Arguments: `{"id":"{minutes}","section":"School"}`, Says: []string{`new roof`, `!ferry`}},
		}},
		{"Show me the text around that", []Call{
			{Tool: "ask", Arguments: `{"question":"Who repaired the northern pier?"}`, Says: []string{`Voss & Sons repaired the pier`}, Keep: map[string]string{"source": `source (\S+)`}},
			{Tool: "source", Arguments: `{"id":"{source}"}`, Says: []string{`Rust damaged the northern pier in 1931`}},
		}},
		{"Where do the words “northern pier” stand?", []Call{{Tool: "find", Arguments: `{"query":"northern pier","only":["passage"]}`, Says: []string{`passage of "bridge\.md"`, `In all`}}}},
		{"Who is Clara Holm?", []Call{
			{Tool: "search", Arguments: `{"query":"Clara Holm","limit":3}`, Says: []string{`^"Clara Holm"  id \S+`}, Keep: map[string]string{"holm_id": `^"Clara Holm"  id (\S+)`}},
			{Tool: "concept", Arguments: `{"id":"{holm_id}"}`, Says: []string{`Quotes \(`, `Lower Moor`, `"holm\.md"`}},
		}},
		{"What is she connected with, surest first?", []Call{{Tool: "related", Arguments: `{"id":"{holm_id}","include_weak":true}`, Says: []string{`1 away, `, `Holm Works`, `in "holm\.md"`}}}},
		{"Who founded Holm Works? Show the sentence", []Call{
			{Tool: "concept", Arguments: `{"id":"{holm_id}"}`, Keep: map[string]string{"works_id": `FOUNDED "Holm Works"  id (\S+)`}},
			{Tool: "edge", Arguments: `{"from":"{holm_id}","type":"FOUNDED","to":"{works_id}"}`, Says: []string{`"Clara Holm founded the company Holm Works in 1889\."`}},
		}},
		{"How are Holm Works and the bridge connected?", []Call{{Tool: "connect", Arguments: `{"from":"Holm Works","to":"bridge","include_weak":true}`, Says: []string{`"Holm Works" \[`, `Clara Holm`, `relationships: `}}}},
		{"What is near Arden and near Holm Works?", []Call{{Tool: "within", Arguments: `{"ids":["{holm_id}","{works_id}"],"include_weak":true}`, Says: []string{`1 away: `, `"Varn"`}}}},
		{"Is there one word for two things?", []Call{{Tool: "namesakes", Arguments: `{}`, Says: []string{`(?i)"gin"`}, Keep: map[string]string{"gin1": `(?i)"gin"  id (\S+)`, "gin2": `(?is)"gin"  id \S+.*?"gin"  id (\S+)`}}}},
		{"Since when do we know of Clara Holm?", []Call{{Tool: "lifetime", Arguments: `{"id":"{holm_id}"}`, Says: []string{`is active`, `epoch \d+`, `"(bridge|holm)\.md"`}}}},
		{"Is there a concept that I have mistyped?", []Call{{Tool: "concept", Arguments: `{"id":"clara_holm_9999999"}`, Refused: true, Says: []string{`not found; search finds the ids`}}}},
		{"What are you doing now?", []Call{{Tool: "jobs", Arguments: `{"limit":3}`, Says: []string{`job_\S+  ingestion  completed`, `offset 3`}}}},
	}
}

// writing are the tasks that change something.
func writing() []Task {
	changed := strings.ReplaceAll(text("manual.md"), "every 200 hours", "every 50 hours")
	return []Task{
		{"What would it cost to read this letter? Then do not", []Call{
			{Tool: "ingest", Arguments: `{"text":"The lamp of the harbour is broken.","name":"lamp.md","ontology":"town","wait":60}`, Says: []string{`awaiting_approval`, `estimate: 7 words, 1 chunks?`}, Keep: map[string]string{"lamp": `(job_[0-9a-f]+)`}},
			{Tool: "cancel_job", Arguments: `{"id":"{lamp}"}`, Says: []string{`(?i)cancelled`}},
		}},
		{"Read the manual again", []Call{{Tool: "ingest", Arguments: `{"text":"` + text("manual.md") + `","name":"manual.md","ontology":"works"}`, Says: []string{`submitted before`}}}},
		{"Here is another manual; what has changed since?", []Call{
			{Tool: "epochs", Arguments: `{"limit":1}`, Keep: map[string]string{"epoch": `^(\d+)  `}},
			{Tool: "ingest", Arguments: `{"text":"` + changed + `","name":"manual-new.md","ontology":"works","approve":true,"wait":120}`, Says: []string{`completed`}, Keep: map[string]string{"again": `(job_[0-9a-f]+)`}},
			{Tool: "changes", Arguments: `{"since":"{epoch}"}`, Says: []string{`1 document came`, `"manual-new\.md"`, `Ask the next time with since`}},
		}},
		{"That was a mistake: undo it", []Call{
			{Tool: "undo_job", Arguments: `{"id":"{again}","dry_run":true}`, Says: []string{`"manual-new\.md" \("works"\) of job_\S+  would go`}},
			{Tool: "documents", Arguments: `{"ontology":"works"}`, Says: []string{`manual-new`}},
			{Tool: "undo_job", Arguments: `{"id":"{again}"}`, Says: []string{`is deleted`}},
			{Tool: "documents", Arguments: `{"ontology":"works"}`, Says: []string{`!manual-new`}},
		}},
		{"Remember that Ada Lind owns the mill", []Call{
			{Tool: "create_concept", Arguments: `{"label":"mill of Arden","ontology":"memory","description":"A water mill."}`, Says: []string{`was made`}, Keep: map[string]string{"mill": `id (\S+)`}},
			{Tool: "create_edge", Arguments: `{"from_label":"Ada Lind","type":"OWNS","to_id":"{mill}"}`, Says: []string{`-OWNS-> \S+  was made`}, Keep: map[string]string{"ada": `^(\S+) -OWNS`}},
			{Tool: "add_evidence", Arguments: `{"id":"{mill}","text":"Ada Lind bought the mill in 1920."}`, Says: []string{`is shown by it now`}},
			{Tool: "search", Arguments: `{"query":"mill of Arden","limit":1}`, Says: []string{`^"mill of Arden"  id `}},
		}},
		{"It is called the old mill; show first what would change", []Call{
			{Tool: "edit_concept", Arguments: `{"id":"{mill}","label":"old mill of Arden","dry_run":true}`, Says: []string{`would be "old mill of Arden"`}},
			{Tool: "edit_concept", Arguments: `{"id":"{mill}","label":"old mill of Arden"}`, Says: []string{`is "old mill of Arden"`}},
			{Tool: "edge", Arguments: `{"from":"{ada}","type":"OWNS","to":"{mill}"}`, Says: []string{`"old mill of Arden"`}},
		}},
		{"She has sold it; and forget the mill", []Call{
			{Tool: "delete_relationship", Arguments: `{"from":"{ada}","type":"OWNS","to":"{mill}","dry_run":true}`, Says: []string{`would go`}},
			{Tool: "delete_relationship", Arguments: `{"from":"{ada}","type":"OWNS","to":"{mill}"}`, Says: []string{`is deleted`}},
			{Tool: "delete_note", Arguments: `{"id":"{mill}"}`, Says: []string{`is deleted`}},
			{Tool: "concept", Arguments: `{"id":"{mill}"}`, Refused: true, Says: []string{`not found`}},
		}},
		{"GIN and gin are two things", []Call{
			{Tool: "keep_apart", Arguments: `{"a":"{gin1}","b":"{gin2}","reason":"an index and a drink"}`, Says: []string{`stay two`}},
			{Tool: "namesakes", Arguments: `{}`, Says: []string{`!(?i)"gin"`}},
		}},
	}
}
