package e2e

import "strings"

const (
	volcanoes = "Volcanic eruptions release ash and sulphur dioxide. Sulphur dioxide causes acid rain. Acid rain damages forests and lakes. " +
		"Volcanic ash cools the climate. Magma chambers cause volcanic eruptions. Plate tectonics causes earthquakes and volcanic eruptions.\n"
	glaciers = "Glaciers store fresh water. Climate change melts glaciers. Melting glaciers raise the sea level. The sea level threatens coastal cities. " +
		"Permafrost stores methane. Methane warms the climate. Acid rain damages forests.\n"

	progressShape = `{stage:str percent:int chunks_total:int chunks_processed:int current_chunk:int concepts_created:int concepts_linked:int sources_created:int
		instances_created:int relationships_created:int}?`
	jobShape = `{job_id:str job_type:str status:str user_id:int username:str progress:` + progressShape + ` result:obj? error:str? created_at:ts started_at:ts?
		completed_at:ts? content_hash:str? ontology:str? processing_mode:str? analysis:obj? approved_at:ts? expires_at:ts? approved_by:str? filename:str?
		source_type:str? source_path:str? source_hostname:str? priority:int lane:str? retries:int max_retries:int cancel_requested:bool queue_position:int?}`
	submittedShape = `{job_id:str status:'pending' content_hash:str position:int? message:str}`
	resultShape    = `{status:'completed' stats:{chunks_processed:int sources_created:int source_embeddings_created:int concepts_created:int concepts_linked:int
		instances_created:int relationships_created:int extraction_tokens:int embedding_tokens:int} ontology:str filename:str chunks_processed:int
		cost:{extraction:str embeddings:str total:str extraction_model:str embedding_model:str}}`
	analysisShape = `{file_stats:{filename:str size_bytes:int size_human:str word_count:int estimated_chunks:int} analyzed_at:ts warnings:[str]
		cost_estimate:{extraction:{model:str tokens_low:int tokens_high:int cost_low:num cost_high:num currency:'USD'}
			embeddings:{model:str concepts_low:int concepts_high:int tokens_low:int tokens_high:int cost_low:num cost_high:num currency:'USD'}
			total:{cost_low:num cost_high:num currency:'USD'}}
		config:{target_words:int min_words:int max_words:int overlap_words:int checkpoint_interval:int}}`
)

func ingestExchanges() []exchange {
	file := sentFile{fields: map[string]string{
		"ontology": "earth/science", "auto_approve": "true", "processing_mode": "serial", "target_words": "1000", "overlap_words": "200",
		"source_type": "file", "source_path": "/home/ada/volcanoes.txt", "source_hostname": "desk",
	}, filename: "volcanoes.txt", body: volcanoes}
	return []exchange{
		{method: "POST", path: "/ingest", send: file, shape: submittedShape, keep: map[string]string{"job": "job_id", "document": "content_hash"}},
		{method: "POST", path: "/ingest/text", send: form{"text": glaciers, "ontology": "ice", "filename": "text_input", "auto_approve": "true", "processing_mode": "serial", "target_words": "1000"}, shape: submittedShape, keep: map[string]string{"ice": "job_id"}},
		{method: "POST", path: "/ingest", send: file, waitFor: "job", shape: `{duplicate:bool existing_job_id:str status:'completed' created_at:ts completed_at:ts? message:str use_force:str? result:` + resultShape + `?}`},
		{method: "POST", path: "/ingest/text", send: form{"text": "A text that waits for its approval.", "ontology": "ice", "processing_mode": "serial"}, waitFor: "ice", shape: submittedShape, keep: map[string]string{"waiting": "job_id"}},
		{method: "POST", path: "/ingest/text", send: form{"text": "Another one, that is cancelled.", "ontology": "ice", "processing_mode": "serial"}, shape: submittedShape, keep: map[string]string{"unwanted": "job_id"}},
		{method: "POST", path: "/ingest/text", send: form{"text": "x", "ontology": "ice", "target_words": "5"}, status: 422, shape: `{detail:str errors:[+{loc:[+any] msg:str type:str}]}`},
		{method: "POST", path: "/ingest", send: sentFile{fields: map[string]string{"ontology": "ice"}, filename: "empty.txt"}, status: 400, shape: problemShape},
		{method: "POST", path: "/ingest/image", send: sentFile{fields: map[string]string{"ontology": "ice"}, filename: "a.png", body: strings.Repeat("no image", 30)}, status: 400, shape: problemShape},
		{method: "POST", path: "/ingest/text", send: form{"ontology": "ice"}, status: 422, shape: problemShape},
	}
}

func jobExchanges() []exchange {
	return []exchange{
		{method: "GET", path: "/jobs?limit=50&offset=0", shape: `[+` + jobShape + `]`},
		{method: "GET", path: "/jobs?status=completed&ontology=ice&client_id=admin&limit=20", shape: `[+` + jobShape + `]`},
		{method: "GET", path: "/jobs?status=running", shape: `[any]`},
		{method: "GET", path: "/jobs?status=nonsense", status: 422, shape: problemShape},
		{method: "GET", path: "/jobs/{job}", shape: jobShape},
		{method: "GET", path: "/jobs/{job}", shape: `{status:'completed' result:` + resultShape + ` analysis:` + analysisShape + ` started_at:ts completed_at:ts approved_at:ts approved_by:str
			content_hash:str filename:'volcanoes.txt' source_path:'/home/ada/volcanoes.txt' source_hostname:'desk' source_type:'file' ontology:'earth/science' processing_mode:'serial' lane:str}`},
		{method: "GET", path: "/jobs/job_000000000000", status: 404, shape: `{detail:'Job not found: job_000000000000'}`},
		{method: "POST", path: "/jobs/{waiting}/approve", analysed: "waiting", shape: `{job_id:str status:'approved' message:str}`},
		{method: "POST", path: "/jobs/{waiting}/approve", waitFor: "waiting", status: 409, shape: `{detail:'Job not awaiting approval (status: completed)'}`},
		{method: "DELETE", path: "/jobs/{unwanted}?purge=false", shape: `{job_id:str cancelled:bool message:'Job cancelled successfully'}`},
		{method: "DELETE", path: "/jobs/{unwanted}", status: 409, shape: `{detail:'Cannot cancel job in status: cancelled'}`},
		{method: "POST", path: "/jobs/{job}/stream-ticket", shape: `{ticket:str expires_in:int}`},
		{method: "GET", path: "/jobs/{job}/stream"},
		{method: "DELETE", path: "/jobs?dry_run=true&confirm=false&status=cancelled", shape: `{dry_run:bool jobs_to_delete:int jobs:[+{job_id:str job_type:str status:str ontology:str? created_at:ts}] message:str}`},
		{method: "DELETE", path: "/jobs?dry_run=false&confirm=false", status: 400, shape: `{detail:'Must set confirm=true to delete jobs (or use dry_run=true to preview)'}`},
		{method: "DELETE", path: "/jobs?confirm=true&status=cancelled&system=false", shape: `{success:bool jobs_deleted:int filters:{status:str? system:bool older_than:str? job_type:str?} message:str}`},
		{method: "DELETE", path: "/jobs/{waiting}?purge=true&force=false", shape: `{job_id:str deleted:bool message:'Job permanently deleted'}`},
		{method: "DELETE", path: "/jobs?older_than=2d&confirm=true", status: 422, shape: problemShape},
	}
}

func workerExchanges() []exchange {
	lane := `{name:str job_types:[str] max_slots:int poll_interval_ms:num stale_timeout_minutes:num enabled:bool updated_at:ts running_jobs:int queued_jobs:int slots_available:int}`
	return []exchange{
		{method: "GET", path: "/admin/workers/status", shape: `{running_jobs:[{job_id:str job_type:str claimed_by:str? claimed_at:ts? started_at:ts? priority:int}] running_count:int
			queued_by_type:[{job_type:str count:int oldest:ts?}] total_queued:int lanes:[+{name:str max_slots:int enabled:bool}] total_slots:int slots_in_use:int}`},
		{method: "GET", path: "/admin/workers/lanes", shape: `{lanes:[+` + lane + `]}`},
		{method: "PATCH", path: "/admin/workers/lanes/interactive", send: `{"max_slots": 3}`, shape: `{lane:{name:str max_slots:int poll_interval_ms:num stale_timeout_minutes:num enabled:bool updated_at:ts} changed:{max_slots:{old:int new:int}}}`},
		{method: "PATCH", path: "/admin/workers/lanes/interactive", send: `{"max_slots": 3}`, shape: `{changed:{}}`},
		{method: "PATCH", path: "/admin/workers/lanes/interactive", send: `{}`, status: 422, shape: `{detail:'No fields to update'}`},
		{method: "PATCH", path: "/admin/workers/lanes/interactive", send: `{"max_slots": 17}`, status: 422, shape: `{detail:str errors:[+{loc:[+any] msg:str type:str}]}`},
		{method: "PATCH", path: "/admin/workers/lanes/none", send: `{"max_slots": 1}`, status: 404, shape: `{detail:'Lane not found: none'}`},
		{method: "POST", path: "/admin/workers/jobs/{job}/cancel", status: 409, shape: problemShape},
		{method: "PATCH", path: "/admin/workers/jobs/{job}/priority?priority=5", status: 409, shape: `{detail:'Can only reprioritize approved jobs (status: completed)'}`},
		{method: "GET", path: "/admin/scheduler/status", shape: `{running:bool config:{cleanup_interval:num approval_timeout:num completed_retention:num failed_retention:num}
			stats:{jobs_by_status:{*:int} last_cleanup:ts? next_cleanup:ts?}}`},
		{method: "POST", path: "/admin/scheduler/cleanup", shape: `{success:bool message:'Cleanup completed successfully' note:str}`},
		{method: "GET", path: "/admin/status", shape: `{docker:{running:bool container_name:str? status:str? ports:str?} database_connection:{connected:bool uri:str error:str?}
			database_stats:{concepts:int sources:int instances:int relationships:int} python_env:{venv_exists:bool python_version:str?}
			configuration:{env_exists:bool anthropic_key_configured:bool openai_key_configured:bool} neo4j_browser_url:null bolt_url:null
			scheduler:{running:bool active_jobs:int pending_jobs:int} resources:{cpu_percent:num memory_percent:num disk_percent:num}?}`},
		{method: "GET", path: "/admin/config/search-threshold", shape: `{key:str threshold:num? fallback:num}`},
		{method: "PUT", path: "/admin/config/search-threshold", send: `{"threshold": 0.6}`, shape: `{key:str threshold:num}`},
	}
}
