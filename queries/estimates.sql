-- name: EstimateLearn :exec
-- Keeps what a job took, beside what its analysis said.
WITH learnt AS (
    SELECT @job_id::text AS job_id, @model::text AS model, @chunks::int AS chunks, @words::int AS words, @concepts::int AS concepts
), analysed AS (
    SELECT l.*, coalesce((j.analysis -> 'cost_estimate' -> 'extraction' ->> 'text_tokens')::int, 0) AS text_tokens,
        coalesce((j.analysis -> 'cost_estimate' -> 'extraction' ->> 'prompt_tokens')::int, 0) AS prompt_tokens
    FROM learnt l JOIN kg_api.jobs j ON j.job_id = l.job_id
)
INSERT INTO kg_api.estimates (job_id, model, chunks, words, concepts, text_tokens, expected_tokens, input_tokens, output_tokens)
SELECT a.job_id, a.model, a.chunks, a.words, a.concepts, a.text_tokens, a.text_tokens + a.chunks * a.prompt_tokens,
    coalesce(u.input_tokens, 0), coalesce(u.output_tokens, 0)
FROM analysed a LEFT JOIN kg_api.model_usage u ON u.job_id = a.job_id AND u.model = a.model AND u.purpose = 'extraction'
ON CONFLICT (job_id) DO NOTHING;

-- name: EstimateBand :one
-- From the tenth to the ninetieth percentile of the last fifty jobs of a model: what was
-- sent by what was expected, the answers by the text, and the concepts of a chunk by those
-- of one of a thousand words, which are fewer in a shorter one; see corpus.ConceptsScale.
SELECT count(*)::int AS jobs,
    coalesce(percentile_cont(0.1) WITHIN GROUP (ORDER BY r.input_tokens / nullif(r.expected_tokens, 0)::float8), 0)::float8 AS input_low,
    coalesce(percentile_cont(0.9) WITHIN GROUP (ORDER BY r.input_tokens / nullif(r.expected_tokens, 0)::float8), 0)::float8 AS input_high,
    coalesce(percentile_cont(0.1) WITHIN GROUP (ORDER BY r.output_tokens / nullif(r.text_tokens, 0)::float8), 0)::float8 AS output_low,
    coalesce(percentile_cont(0.9) WITHIN GROUP (ORDER BY r.output_tokens / nullif(r.text_tokens, 0)::float8), 0)::float8 AS output_high,
    coalesce(percentile_cont(0.1) WITHIN GROUP (ORDER BY r.concepts / (r.chunks * power(r.words / r.chunks / 1000.0::float8, @scale::float8))), 0)::float8 AS concepts_low,
    coalesce(percentile_cont(0.9) WITHIN GROUP (ORDER BY r.concepts / (r.chunks * power(r.words / r.chunks / 1000.0::float8, @scale::float8))), 0)::float8 AS concepts_high
FROM (SELECT e.* FROM kg_api.estimates e WHERE e.model = @model ORDER BY e.at DESC LIMIT 50) r;

-- name: KnownTerms :many
-- Those of the names that known concepts bear.
SELECT k.name::text AS name FROM (SELECT DISTINCT unnest(@names::text[]) AS name) k
WHERE EXISTS (SELECT 1 FROM kg_api.concepts c WHERE c.term_keys @> ARRAY[k.name]);

-- name: ConceptsNamed :many
-- Known concepts that bear one of the names, those that most sources show first.
SELECT c.concept_id, c.label
FROM kg_api.concepts c
WHERE c.term_keys && @names::text[]
ORDER BY (SELECT count(*) FROM kg_api.instances i WHERE i.concept = c.id) DESC, c.id LIMIT @most;
