# Kappa: the commands that people and the continuous integration use.
# GO may name another Go command, PARALLEL how many packages are tested at once,
# AT_ONCE how many tests of one (most of them wait for a server or for time to pass),
# FUZZTIME how long each fuzz target runs, SEED the jobs and faults of a campaign,
# TOGETHER how many of its rounds may run at once (most of a round is to wait for its
# last jobs), SOAK how long a soak takes.
GO       ?= go
# go.mod pins the toolchain; auto fetches it where the installed one is older.
export GOTOOLCHAIN ?= auto
PARALLEL ?= 2
AT_ONCE  ?= 4
FUZZTIME ?= 10m
SEED     ?= 1
TOGETHER ?= 4
SOAK     ?= 1h
SQLC     := CGO_ENABLED=0 $(GO) tool -modfile=tools/go.mod sqlc
LINT     := $(GO) tool -modfile=$(CURDIR)/tools/golangci/go.mod golangci-lint

# Programs of PostgreSQL that tools/setup.sh fetched come after those of the system. PG
# names a major version to test with.
TOOLS    := $(shell tools/setup.sh where)
export PATH := $(PATH):$(TOOLS)/postgres/bin
ifdef PG
export KG_PG_BIN := $(TOOLS)/postgres-$(PG)/bin
endif
NEWEST   := 18
# Programs carry no tables for debuggers and no paths of the machine. Nothing speaks MessagePack.
SMALL    := -trimpath -ldflags '-s -w'
# The race detector needs a C compiler.
RACE     = $(if $(shell command -v $(firstword $(shell $(GO) env CC))),-race,$(warning there is no C compiler: data races are not looked for))

# Where the known holes of Go modules are looked up; file:///path is a copy on this machine.
VULNDB   ?= https://vuln.go.dev
VULN     := golang.org/x/vuln/cmd/govulncheck@v1.1.4

.PHONY: check-rules check-acme check-chart setup demo run build web test-web web-shots test test-race test-slow test-newest test-all fuzz vulncheck check lint generate fmt eval eval-formats eval-ranking eval-definitions eval-relations eval-judged train-relations train-ranking bench bench-answers bench-routes bench-web campaign campaign-release campaign-events attack soak release check-release clean help

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what is missing: the programs of PostgreSQL and a C compiler
	@tools/setup.sh
	@$(if $(PG),tools/setup.sh postgres $(PG))

demo: setup build ## build everything, ingest the documentation, search it, stop again; STAY=1 keeps the server until Ctrl-C
	@./bin/kg demo $(if $(STAY),--stay)

run: setup build ## build and serve until Ctrl-C; data is kept for the next start
	@./bin/kg serve

# The console's pages are built where Node is, and again when something of them has changed.
# Without Node kg is built all the same, and says below /console/ what is missing.
NODE     := $(shell node -p 'process.versions.node.split(".")[0] >= 20 ? "node" : ""' 2>/dev/null)
BUILTWEB := internal/http/console/dist/index.html
web: $(if $(NODE),$(BUILTWEB)) ## build the pages of the console, with Node 20 or newer
	@$(if $(NODE),:,echo "the console was not built: there is no Node 20 or newer. kg works without it; install Node and run make web again.")

$(BUILTWEB): web/node_modules/.package-lock.json docs/openapi.json $(shell find web/src web/public web/tools web/*.json web/*.ts web/index.html -type f ! -name schema.ts)
	@cd web && npm run --silent build
	@touch $@

web/node_modules/.package-lock.json: web/package-lock.json web/package.json
	@cd web && npm ci --silent --no-audit --no-fund
	@touch $@

build: ## build bin/kg, with the console where Node is, and, with a C compiler, bin/kg-data, which answers questions to datasets
	@$(if $(NODE),$(MAKE) --no-print-directory web || echo "The pages of the console were not built; kg is built without what has changed in them." >&2,:)
	@CGO_ENABLED=0 $(GO) build $(SMALL) -tags nomsgpack -o bin/kg ./cmd/kg
	@if command -v $(firstword $(shell $(GO) env CC)) >/dev/null; then \
		CGO_ENABLED=1 $(GO) build $(SMALL) -o bin/kg-data ./cmd/kg-data; \
	else \
		rm -f bin/kg-data; \
		echo "bin/kg-data was not built: there is no C compiler ($$($(GO) env CC)). kg works without it, and answers questions to datasets with 503."; \
		echo "Install one (Debian: apt-get install gcc g++ libc6-dev) and run make build again."; \
	fi

# What takes longest begins first.
FIRST    := ./cmd/kg/e2e ./internal/postgres ./internal/formats ./test/campaign ./cmd/kg-data ./test/attack ./test/graph ./internal/lanes ./internal/worker
# Linking a hundred test programs takes half as long without tables for debuggers. What is
# tested is vetted by make check.
LIGHT    := -vet=off -ldflags '-s -w'
TEST     := $(LIGHT) -shuffle=on -timeout 20m -p $(PARALLEL) -parallel $(AT_ONCE)
test: setup ## run the tests on a PostgreSQL of their own; PG=18 takes that version of it
	$(GO) test $(TEST) $(FIRST) ./...

# What is tested without the race detector: what only computes, whose goroutines share nothing
# but a lock or a pool, and processes that are bound in memory (with it they take 8 to 20 times
# as long). Whole servers, and what only asks PostgreSQL, have it in the slow tier.
UNRACED  := ./internal/formats ./cmd/kg/read ./cmd/kg-data ./internal/graphgen ./internal/graph/export ./internal/graph/network \
            ./internal/projection ./internal/passages ./internal/answers ./internal/extract/keyterms ./internal/static \
            ./internal/retrieval/ranking ./knowledge/naming ./corpus/models ./cmd/kg/draw ./test/eval
WHOLE    := ./cmd/kg/e2e ./test/attack ./migrations . ./cmd/kg/cli ./cmd/kg/mcp
but       = $$($(GO) list $(1) | grep -vxF "$$($(GO) list $(2))")
test-race: setup ## run the tests of what runs at once again, with the race detector
	$(GO) test $(RACE) $(TEST) $(call but,$(FIRST) ./...,$(UNRACED) $(WHOLE))

test-all: test test-race test-slow test-newest ## all of them, and the slow tier: about an hour

# The packages that have a slow tier are found by the names of their tests.
SLOW      = $$(grep -rl --include='*_test.go' '^func Test.*_Slow(' *_test.go access api artifacts client cmd corpus internal knowledge migrations storage test work | xargs -n 1 dirname | sort -u | sed 's|^|./|')
TESTSLOW := KG_TEST_SLOW=1 $(GO) test $(LIGHT) -timeout 40m -p $(PARALLEL) -parallel $(AT_ONCE) -run '_Slow$$'
test-slow: setup check-rules check-acme check-chart check-release ## run the slow tier alone: faults, soak, upgrade, every failpoint; check-rules, check-acme, check-chart and check-release
	status=0; $(TESTSLOW) $$($(GO) list $(SLOW) | grep -xF "$$($(GO) list $(UNRACED))") || status=1; \
	$(TESTSLOW) $(RACE) $(call but,$(SLOW),$(UNRACED)) || status=1; exit $$status

check-rules: setup ## hold the dashboard and the rules of deploy/ to a real server, with the engine of Prometheus
	cd test/rules && $(GO) test -count=1 $(LIGHT) ./...

check-acme: setup ## have a real server get certificates from an ACME server
	cd test/acme && $(GO) vet ./... && $(GO) test -count=1 $(LIGHT) ./...

check-chart: ## render the chart of deploy/helm with Helm's library, and hold what comes out to the types of Kubernetes
	cd test/chart && $(GO) vet ./... && $(GO) test -count=1 $(LIGHT) ./...

test-web: ## test the console: what it computes, and all of it in Chromium against a server of its own
	@tools/setup.sh chromium
	@$(MAKE) --no-print-directory web build
	@$(if $(NODE),cd web && npm test --silent && npm run --silent e2e,echo "make test-web: NOTHING WAS TESTED: there is no Node 20 or newer" >&2; exit 1)

SHOTS    ?= web/shots
web-shots: build ## write a picture of every page of the console into the folder SHOTS
	@tools/setup.sh chromium
	@cd web && npm run --silent shots -- '$(abspath $(SHOTS))'

bench-web: build ## print the figures of the console, measured in Chromium beside a server of its own, and what is demanded of them
	@tools/setup.sh chromium
	@cd web && npm run --silent bench

# The oldest version of PostgreSQL that Kappa runs on is the one of the gate's system.
test-newest: ## what depends on the version of PostgreSQL, on the newest one
	@$(MAKE) --no-print-directory setup PG=$(NEWEST)
	export KG_PG_BIN=$(TOOLS)/postgres-$(NEWEST)/bin; status=0; $(GO) test $(LIGHT) -count=1 -timeout 20m -p $(PARALLEL) -parallel $(AT_ONCE) \
		./internal/lanes ./internal/notify ./internal/postgres ./internal/backup ./internal/pgembed ./migrations ./test/campaign || status=1; \
	$(GO) test $(LIGHT) -count=1 -timeout 20m -run 'TestKillDuringJob$$|TestBackup|TestRestore|TestClusterOfAnOlderVersion' ./cmd/kg/e2e || status=1; exit $$status

fuzz: ## fuzz each fuzz target for FUZZTIME (10m), up to the first that fails
	@GO='$(GO)' FUZZTIME='$(FUZZTIME)' tools/fuzz.sh

vulncheck: ## look for known holes in the libraries; fails, and says so, when their database cannot be had
	@GOBIN=$(CURDIR)/bin $(GO) install $(VULN)
	@./bin/govulncheck -db '$(VULNDB)' ./... || { status=$$?; \
	if [ $$status -ne 3 ]; then echo "make vulncheck: NOTHING WAS CHECKED: the database $(VULNDB) could not be asked; set VULNDB to a copy" >&2; fi; exit $$status; }

check: fmt ## formatting, vet, import rule, generated code, the reference of the API
	$(GO) vet ./...
	$(GO) vet -tags failpoints ./cmd/kg/...
	$(GO) test -count=1 -run 'TestImportRule|TestForbidden|TestQ04|TestMap|TestGeneratedCode' .
	$(GO) test -count=1 -run 'TestOpenAPIDocument|TestPermissionsTable' ./cmd/kg/serve

lint: ## the rules of .golangci.yaml; the first run builds golangci-lint, which takes minutes
	$(LINT) run ./...
	$(LINT) run --build-tags failpoints ./cmd/kg/failpoint
	cd bench && $(LINT) run --config ../.golangci.yaml ./...
	cd test/rules && $(LINT) run --config ../../.golangci.yaml ./...

fmt: ## fail when a file is not formatted
	@files=$$(gofmt -l $$(git ls-files '*.go' | grep -v '^tools/')); \
	if [ -n "$$files" ]; then echo "not gofmt-ed:"; echo "$$files"; exit 1; fi

generate: ## generate internal/postgres/db from queries/ and migrations/, and the reference of the API
	$(SQLC) generate
	$(GO) test -count=1 -run '^TestGeneratedCode$$' . -update
	$(GO) test -count=1 -run 'TestOpenAPIDocument|TestPermissionsTable' ./cmd/kg/serve -update

eval: ## measure the built-in extractor on the annotated passages
	@$(GO) run ./test/eval

eval-formats: ## measure how the files of test/formats/manifest.tsv are read that are in the folder FILES, beside pandoc, poppler, lynx and LibreOffice
	@$(GO) run ./test/formats -files '$(FILES)'

eval-ranking: ## measure how passages are ranked, on the questions of SQuAD and XQuAD in the folder DATA
	@$(GO) run ./test/ranking -data '$(DATA)' -without

eval-definitions: ## measure how often "What is X?" gets a passage first that says it, on the documents of test/definitions/documents.tsv in the folder DATA
	@$(GO) run ./test/definitions -data '$(DATA)'

eval-relations: ## measure the relationships between names on the texts of Re-DocRED in the file DATA, each by what the others teach, beside the rules alone
	@$(GO) run ./test/relations -data '$(DATA)'

train-relations: ## learn the weights that read relationships from the texts of Re-DocRED in the file DATA; some minutes
	@$(GO) run ./test/relations -data '$(DATA)' -write internal/extract/english/relations/english.weights

eval-judged: ## print how many typed relationships are true of those that were drawn and judged by their sentence
	@$(GO) run ./test/judged test/eval/judged/*.tsv

train-ranking: ## learn the weights of the ranking from those in the folder DATA, and with EMBEDDING=folder that of the similarity in meaning
	@$(GO) run ./test/ranking -data '$(DATA)' -write internal/retrieval/ranking/weights.json
	@if [ -n '$(EMBEDDING)' ]; then $(GO) run ./test/ranking -data '$(DATA)' -embedding '$(EMBEDDING)' -write-similar internal/retrieval/ranking/similar.json; fi

bench: build ## measure dispatch beside other systems, event streams, ingestion from 10 to 1,000 documents, questions to the graph, finding passages beside bleve and FTS5, backup and restore, what authentication costs, listing a million jobs, acts on many of them, remote workers, and questions to datasets
	@cd bench && $(GO) run ./dispatch
	@cd bench && $(GO) run ./events -kg ../bin/kg
	@cd bench && $(GO) run ./ingest -kg ../bin/kg
	@cd bench && $(GO) run ./graph -kg ../bin/kg
	@cd bench && $(GO) run ./backup -kg ../bin/kg
	@cd bench && $(GO) run ./models -kg ../bin/kg
	@cd bench && $(GO) run ./api
	@cd bench && $(GO) run ./list
	@cd bench && $(GO) run ./acts
	@cd bench && $(GO) run ./remote -kg ../bin/kg
	@cd bench && $(GO) run ./retrieval -n 1000,100000
	@if [ -x bin/kg-data ]; then cd bench && CGO_ENABLED=1 $(GO) run ./datasets -kg ../bin/kg; \
	else echo "questions to datasets were not measured: there is no bin/kg-data, which needs a C compiler"; fi

bench-answers: build ## ask questions of SQuAD and XQuAD, in the files of the folder DATA (ONLY=speed, or quality, denied, scale), beside SQLite's full-text search
	@cd bench && $(GO) run ./answers -kg ../bin/kg $(if $(ONLY),-only '$(ONLY)') '$(abspath $(DATA))'/*.json

bench-routes: build ## time every route that reads on two graphs, of 1,000 and 10,000 concepts (ROUTES='-concepts 100000 -quotes 1000000 -documents 20000'), and fail on one that grows
	@cd bench && $(GO) run ./routes -kg ../bin/kg $(ROUTES)

campaign: ## break things for about an hour while 200,000 jobs run; started again it goes on
	@mkdir -p bin
	$(GO) run ./test/campaign -seed $(SEED) -jobs 200000 -faults 3000 -together $(TOGETHER) -state bin/campaign.state -summary docs/campaign.md

campaign-release: ## the same with 1,000,000 jobs and 10,000 faults
	@mkdir -p bin
	$(GO) run ./test/campaign -seed $(SEED) -jobs 1000000 -faults 10000 -together $(TOGETHER) -state bin/campaign-release.state

campaign-events: ## deliver 1,000,000 events to watchers that come and go while everything that carries them is cut
	KG_TEST_SLOW=1 KG_TEST_DELIVERIES=1000000 KG_TEST_SEED=$(SEED) $(GO) test -race -count=1 -v -timeout 2h -run '^TestFaults_Slow$$' ./internal/notify

attack: build ## attack a server of its own in every known way, and count what holds
	$(GO) run ./test/attack -kg bin/kg

soak: ## an hour with more to do than the machine can: nothing may be taken back, leak or grow
	$(GO) run ./test/campaign -seed $(SEED) -soak $(SOAK)

release: web ## make archives, packages, a chart, a bill of materials and checksums of VERSION in dist; IMAGE=1 makes the image for containers too
	@cd tools/release && $(GO) run . -root '$(CURDIR)' -version '$(VERSION)' $(if $(IMAGE),-image) $(if $(TARGETS),-only '$(TARGETS)') $(if $(DIST),-dist '$(DIST)')

check-release: ## test what makes a release
	cd tools/release && $(GO) vet ./... && $(GO) test -count=1 ./...

clean: ## remove what was built
	rm -rf bin dist
