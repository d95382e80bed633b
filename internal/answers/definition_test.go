package answers

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"A lane is a named group of job types.", []string{"lane"}},
		{"A **lane** is a named group of job types, and a **slot** is room for one job.", []string{"lane", "slot"}},
		{"Lanes are queues that hold jobs of one kind.", []string{"Lanes"}},
		{"The leader is the server that runs the lanes and the scheduler.", []string{"leader"}},
		{"LISTEN/NOTIFY is a pair of commands of PostgreSQL.", []string{"LISTEN/NOTIFY"}},
		{"Frédéric Chopin was a Polish composer.", []string{"Frédéric Chopin"}},
		{"Portable Document Format (PDF) is a file format.", []string{"Portable Document Format", "PDF", "# PDF"}},
		{"Retrograde (also backward motion, abbreviated RM) is a movement against the others.", []string{"Retrograde", "backward motion", "RM"}},
		{"Pertussis, also called whooping cough, is a disease of children.", []string{"Pertussis", "whooping cough"}},
		{"A prime number (or a prime) is a natural number greater than 1.", []string{"prime number", "prime"}},
		{"The term kerning refers to the adjustment of spaces between letters.", []string{"kerning"}},
		{"HTTP stands for Hypertext Transfer Protocol.", []string{"HTTP"}},
		{"An event source is how a server learns what the others commit.", []string{"event source"}},
		{"A **claim** takes approved jobs for free slots.", []string{"claim"}},
		{"A natural number that is not prime is called a composite number.", []string{"composite number"}},
		{"University of Chicago is a private research university.", []string{"University of Chicago"}},
		{"Typically, this is so. A quorum is usually a majority of the members.", []string{"quorum"}},

		{"- **Lane**: a queue of jobs of one kind.\n- **Slot** — room for one job.", []string{"Lane", "Slot"}},
		{"- `kg serve` – starts the server and waits.", []string{"kg serve"}},
		{"**Backlog:** the jobs that wait for a slot.", []string{"Backlog"}},
		{"- Claim: taking a job for oneself.\n- Dead Letter Queue: where lost jobs end.", []string{"Claim", "Dead Letter Queue"}},
		{"Moraine — a heap of rock that a glacier has left.", []string{"Moraine"}},
		{"## Lane\n\nA lane takes the jobs of its types, one after the other.", []string{"Lane"}},
		{"-f, --file=NAME   reads the words from a file\n-q   says nothing at all", []string{"-f", "--file", "-q"}},
		{"  --depth N\n      how far it looks around each of them", []string{"--depth"}},
		{"   daemon\n          Some unprivileged daemons run as this user.\n\n   bin\n\t  The owner of programs, once.", []string{"daemon", "bin"}},
		{"  serve     starts the server\n  worker    works on jobs of a server\n  doctor    says what is not well", []string{"# serve", "# worker", "# doctor"}},
		{"  weight    Int     how heavy the strokes are\n  slant     Double  in degrees of arc\n  dpi       Double  dots of an inch", []string{"# weight", "# slant", "# dpi"}},
		{"       -c, --create\n\t      Make a new archive of files.\n\n       --no-seek\n\t      Do not seek in it.", []string{"-c", "--create", "--no-seek"}},

		{"NAME\n       dpkg - package manager for Debian", []string{"dpkg"}},
		{"DESCRIPTION\n       dpkg is a medium-level tool to install packages.", []string{"dpkg"}},
		{"--armor\n-a     Create armored output of it.", []string{"--armor", "-a"}},
		{"A [`Blob`][] encapsulates raw data that is shared.", []string{"Blob"}},
		{"pyenv lets you easily switch between versions.", []string{"pyenv"}},
		{"The `null` returns to its caller.\nA `null` value is bad.", nil},
		{"The `Worker` class represents a thread of its own.", []string{"Worker"}},
		{"Instances of the `worker.Port` class represent one end of it.", []string{"worker.Port", "Port"}},
		{"- `highWaterMark` {number} The bytes that are kept at most.", []string{"highWaterMark"}},
		{"HEAD\n    indicates the head of the current branch.", []string{"HEAD"}},
		{"The `name` property of it is odd. The `x` value returns.", nil},
		{"nobody, nogroup\n          Daemons that own no files run so.", []string{"nobody", "nogroup"}},
		{"-K or --quit-on-intr\n       Causes it to exit immediately on that.", []string{"-K", "--quit-on-intr"}},
		{"• --slurp:\n\n  Reads all of the input first of all.", []string{"--slurp"}},
		{"A package is a folder with a file that describes it.", []string{"package"}},
		{"- Package: the folder of it all.", nil},
		{"## `module.exports`\n\nThe `module.exports` object is created by the system.", nil},
		{"  FS     splits records into fields\n\n  NF     number of fields of a record\n\n  NR     number of records so far", []string{"# FS", "# NF", "# NR"}},
		{"Usage:\n        The command is run twice.", nil},
		{"NAME      READY   STATUS\nweb-0     1/1     Running\nweb-1     0/1     Pending", nil},

		{"“Wheel” is a built archive that installs at once.", []string{"Wheel"}},
		{"\"Killing\" text means to cut it and to keep it.", []string{"Killing"}},
		{"By “ablation”, one means the loss of ice of a glacier.", []string{"ablation"}},
		{"A FIFO (short for First In First Out) has a name in a folder.", []string{"FIFO"}},
		{"**Bare keys** may only have letters and digits.", []string{"Bare keys"}},
		{"The tarn API provides a way to ask for names.", []string{"tarn", "# tarn API"}},
		{"The lake utility is a program that lists lakes.", []string{"lake utility", "# lake"}},
		{"The png_info structure is designed to hold what is known.", []string{"png_info structure", "png_info"}},
		{"In geology, a **drumlin** is a hill that ice has made.", []string{"drumlin"}},
		{"Logically, a moraine is just a heap of rock.", []string{"moraine"}},
		{"The cirque root is the place where the ice begins.", []string{"cirque root"}},
		{"Arcfour is a cipher, also known under the name RC4, and is old.", []string{"Arcfour", "RC4"}},
		{"The main idea of it is the ice sheet, a mass of ice that covers land.", []string{"ice sheet"}},
		{"Each valley has an independent snow line, which is the limit of the snow.", []string{"# independent snow line", "# snow line"}},
		{"A Query packet is sent from the display to one host.", []string{"# Query packet"}},
		{"The unit of it is a **Packet**. It is small.", []string{"# Packet"}},
		{"What was cut is saved in a \"kill-ring\".", []string{"# kill-ring"}},
		{"What is seen of it is called the “front” of the glacier.", []string{"front"}},
		{"- The ready list (also the queue): the set of files that are ready.", []string{"ready list", "queue"}},
		{"A valley glacier group is a set of glaciers of one valley.", []string{"valley glacier group", "# glacier group"}},
		{"## SHT_NOTE\n\nThis section holds notes of the vendor.", []string{"SHT_NOTE"}},
		{"## Blanket rule\n\nAny rule where the kind is not said.", []string{"Blanket rule"}},
		{"## Scrutineer\n\nIt is a person who counts votes.", []string{"Scrutineer"}},
		{"## ![logo](a.png) fjord\n\nA library that finds words.", []string{"fjord"}},
		{"Since then the valley has a feature known as autogrouping to move ice.", []string{"# autogrouping"}},
		{"-k, --keep\n\nDon't delete the files that were read.", []string{"-k", "--keep"}},

		{"Moraines are heaps containing what the ice has left.", []string{"Moraines"}},
		{"Firn lines are used to tell where the ice begins.", []string{"Firn lines"}},
		{"A core represents a column of ice of its own.", []string{"core"}},
		{"It has the same stake number, where a stake number is an index into the list.", []string{"stake number"}},
		{"It may end and leave a core dump file, a file containing an image of it.", []string{"# core dump file", "# core dump"}},
		{"Ice that has no glacier any more is said to be a dead ice.", []string{"# dead ice"}},
		{"The oldest kind of it (known as FIRN-2) has many layers.", []string{"# FIRN-2"}},
		{"It is also sometimes called the \"ABI\" or \"Application Binary Interface\".", []string{"# ABI", "# Application Binary Interface"}},
		{"The first of them is the round-robin way, where each has its turn.", []string{"# round-robin way"}},
		{"At the end we look at seracs: a kind of tower that leans.", []string{"# seracs"}},
		{"The calving front is a set of cliffs of ice.", []string{"# calving front"}},
		{"A hard link to a file is as good as the first one.", []string{"# hard link"}},
		{"‘shrink’ reduces the size of the named files.", []string{"# shrink"}},
		{"User namespaces isolate what belongs to security.", []string{"# User namespaces"}},
		{"- [`Writable`][]: streams to which one may write.", []string{"Writable"}},
		{"- The waiting list (sometimes also called the long set): the set of files that wait.", []string{"waiting list", "long set"}},
		{"English | [中文](zh.md)\n\n‘shrink’ reduces the size of the named files.", []string{"# shrink"}},
		{"# firnify [![CI][ci-img]][ci]\nA simple tool for measuring snow.", []string{"firnify"}},
		{"The `node:firn` module provides a way to ask.", []string{"node:firn", "firn"}},
		{"\"gzip\" is the gzip format of it all.\nABI is the ABI to use, normally.", nil},
		{"The file, a copy of it, is sent to all of them.", nil},

		{"‘floe’ is then cut into pieces.", nil},
		{"By default, ice is used to cool it.", nil},
		{"By the way, this is a test of it all.", nil},
		{"The word “ice” is short.", nil},
		{"The next packet is sent at once to all of them.", nil},

		{"This is a test of the lease.", nil},
		{"It is an error to ask twice.", nil},
		{"There is a server that leads.", nil},
		{"That is the reason.", nil},
		{"In 1900 Paris was a city of three millions.", nil},
		{"The result was a disaster for the whole team.", nil},
		{"Lanes are described below.", nil},
		{"Jobs are big.", nil},
		{"The default is the same as before.", nil},
		{"A job with two crashes is a suspect.", nil},
		{"What follows is a list of names.", nil},
		{"If the lane is a new one, it waits.", nil},
		{"Note: this holds for all of them.\n- Example: three lanes and a slot.", nil},
		{"The price: long jobs go on one after the other.", nil},
		{"curl -sS \"$API/jobs\" \\\n  -d '{\"type\": \"sleep\"}'", nil},
		{"- one\n- two\n- three", nil},
		{"", nil},
	} {
		if got := Definitions(corpus.Passage{Text: c.text, Class: corpus.ClassProse, Language: "en"}, true); !slices.Equal(got, c.want) {
			t.Errorf("%q\n  defines %q, want %q", c.text, got, c.want)
		}
	}
}

func TestDefinitionsOfTables(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		columns []string
		want    []string
	}{
		"below a head that says so":    {"| `pending` | submitted | failed |\n| `approved` | may be claimed | processing |", []string{"Status", "Meaning", "Next"}, []string{"pending", "approved"}},
		"a name and prose":             {"| moraine | a heap of rock that a glacier has left |", []string{"Form", "Origin"}, []string{"moraine"}},
		"two names":                    {"| Ctrl-C or SIGTERM | the server stops and takes no more requests |", nil, []string{"SIGTERM", "Ctrl-C"}},
		"a type with brackets":         {"| `DECIMAL(p,s)` | a string with all of its digits |", nil, []string{"DECIMAL"}},
		"an option with its argument":  {"| `--depth N` | how far it looks around each concept |", nil, []string{"--depth"}},
		"below a third head":           {"| `KG_ADDR` | `:8000` | where it listens |", []string{"Setting", "Default", "Meaning"}, []string{"KG_ADDR"}},
		"names in code":                {"| `-o`, `--output` | table or JSON, as asked |", nil, []string{"-o", "--output"}},
		"facts":                        {"| Vienna | 1,900,000 | Austria |\n| Graz | 290,000 | Austria |", []string{"City", "People", "Country"}, nil},
		"numbers":                      {"| tickets | 20,000 of one server and no more |", []string{"What", "How many"}, nil},
		"the head again, and its line": {"| Status | Meaning |\n|---|---|", []string{"Status", "Meaning"}, nil},
	} {
		if got := Definitions(corpus.Passage{Text: c.text, Class: corpus.ClassTable, Columns: c.columns}, true); !slices.Equal(got, c.want) {
			t.Errorf("%s: defines %q, want %q", name, got, c.want)
		}
	}
}

func TestDefinitionsInOtherLanguages(t *testing.T) {
	for _, c := range []struct {
		language, text string
		want           []string
	}{
		{"de", "Ein Vulkan ist eine Öffnung der Erdkruste.", []string{"Vulkan"}},
		{"de", "Das Universum (auch Weltall, kurz All) ist die Gesamtheit von Raum und Zeit.", []string{"Universum", "Weltall", "All"}},
		{"de", "Dies ist ein Versuch. Es ist die Zeit. Er ist ein Lehrer.", nil},
		{"de", "Der Begriff Kerning bezeichnet den Ausgleich von Abständen.", []string{"Kerning"}},
		{"es", "Un volcán es una estructura geológica.", []string{"volcán"}},
		{"es", "Esto es una prueba. No es el caso.", nil},
		{"fr", "Un volcan est une structure géologique.", []string{"volcan"}},
		{"it", "Un vulcano è una struttura geologica.", []string{"vulcano"}},
		{"pt", "Um vulcão é uma estrutura geológica.", []string{"vulcão"}},
		{"ru", "Вулкан — это геологическое образование.", []string{"Вулкан"}},
		{"zh", "数据库是一种存放数据的系统。", []string{"数据库"}},
		{"zh", "百日咳，又称顿咳，是由细菌引起的疾病。", []string{"百日咳", "顿咳"}},
		{"zh", "这是一个例子。他是一个老师。", nil},
	} {
		if got := Definitions(corpus.Passage{Text: c.text, Class: corpus.ClassProse, Language: c.language}, true); !slices.Equal(got, c.want) {
			t.Errorf("%s %q\n  defines %q, want %q", c.language, c.text, got, c.want)
		}
	}
}

func TestDefinitionsOfWhatIsNoText(t *testing.T) {
	for _, class := range []corpus.PassageClass{corpus.ClassNavigation, corpus.ClassNotice, corpus.ClassContents, corpus.ClassReferences, corpus.ClassLicence, corpus.ClassMarkup} {
		if got := Definitions(corpus.Passage{Text: "A lane is a queue.", Class: class}, true); got != nil {
			t.Errorf("%s defines %q", class, got)
		}
	}
	many := strings.Repeat("- **A", 1)
	for i := range 500 {
		many += "- **Term" + strings.Repeat("x", i%60) + strings.Repeat("y", i/60) + "**: what it is for.\n"
	}
	if got := len(Definitions(corpus.Passage{Text: many, Class: corpus.ClassList}, true)); got != mostDefinitions {
		t.Errorf("%d definitions of a passage, want %d", got, mostDefinitions)
	}
}

func TestDefinedKey(t *testing.T) {
	for _, same := range [][]string{
		{"lane", "Lanes", "a lane", "The lanes", "LANE", "lane's"},
		{"claim token", "claim-token", "Claim_Tokens", "the claim token"},
		{"Código", "codigo", "el código"},
		{"query", "queries"},
		{"box", "boxes"},
		{"C++", "c++"},
		{"LISTEN/NOTIFY", "listen notify"},
		{"数据库"},
	} {
		for _, other := range same[1:] {
			if DefinedKey(same[0]) != DefinedKey(other) {
				t.Errorf("%q has the key %q, and %q has %q", same[0], DefinedKey(same[0]), other, DefinedKey(other))
			}
		}
	}
	for _, differ := range [][2]string{{"C", "C++"}, {"glass", "glas"}, {"status", "statu"}, {"analysis", "analysi"}, {"数据库", "数据"}, {"-k", "-K"}, {"--arg", "args"}} {
		if DefinedKey(differ[0]) == DefinedKey(differ[1]) {
			t.Errorf("%q and %q have one key", differ[0], differ[1])
		}
	}
	if DefinedKey("–?!") != "" {
		t.Error("signs have a key")
	}
}

func TestDefinitionsOfHeadings(t *testing.T) {
	for _, c := range []struct {
		section, text string
		opens         bool
		want          []string
	}{
		{"7. Files > 7.1. Definitions > conffile", "A file that is listed in the package, and is kept.", true, []string{"conffile", "# conffile"}},
		{"tag object", "An object that points to another one.", true, []string{"tag object", "# tag object"}},
		{"Setup > 3.2. Lanes - Overview¶", "Each of them has slots for jobs.", true, []string{"# Lanes"}},
		{"Write-Ahead Log (WAL) > Overview", "The default is another one, as it has been.", true, []string{"# Write-Ahead Log", "# WAL"}},
		{"Introduction to lanes", "Each of them has slots for jobs.", true, []string{"# lanes"}},
		{"/proc/oom_score (since 2.6)", "Each step halves what is left of it.", true, []string{"# /proc/oom_score", "# oom_score", "# since 2.6"}},
		{"The securebits flags: a place", "Each step halves what is left of it.", true, []string{"# securebits flags", "# securebits"}},
		{"git-bisect(1)", "Each step halves what is left of it.", true, []string{"# git-bisect"}},
		{"namespaces", "For an overview of them all, see ice(7).", true, nil},
		{"goleak [![GoDoc][doc-img]][doc] [![Build][ci-img]][ci]", "Detector of leaks, to help avoid them.", true, []string{"# goleak"}},
		{"conffile", "A common mistake is to edit it by hand.", true, []string{"# conffile"}},
		{"conffile", "A file that is listed in the package, and is kept.", false, nil},
		{"Overview", "Each of them has slots for jobs.", true, nil},
	} {
		got := Definitions(corpus.Passage{Text: c.text, Class: corpus.ClassProse, Language: "en", Section: c.section}, c.opens)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q under %q\n defines %q, want %q", c.text, c.section, got, c.want)
		}
	}
	if got, want := DefinedKey("# Lanes"), About(DefinedKey("lane")); got != want {
		t.Errorf("what is about lanes has the key %q, want %q", got, want)
	}
}
