// What the tests and the screenshots ingest.
export const rivers = `# Rivers

The Rhine is a river. The Rhine flows through Basel and Cologne. A river is a natural stream of water that flows to a sea.

Basel is a city in Switzerland. The Aare is a river and a tributary of the Rhine. A dam is a wall across a river: it holds back the water.

A reservoir is a lake behind a dam. The dam produces electricity. “Élan” is a word with an accent.
`
export const glaciers = `# Glaciers

A glacier is a body of ice that moves under its own weight. A glacier feeds a river. The Aletsch is a glacier in Switzerland.

A moraine is a ridge of rock that a glacier leaves behind. Ice consists of frozen water.
`
