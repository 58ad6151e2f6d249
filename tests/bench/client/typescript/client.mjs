// The clients of the official TypeScript SDK: `node client.mjs v1|v2 WORK SERVER`.

const [version, work, server] = process.argv.slice(2);
const IN_FLIGHT = 64;

const v1 = version === 'v1';
const { Client } = await import(
  v1 ? '@modelcontextprotocol/sdk/client/index.js' : '@modelcontextprotocol/client'
);
const { StdioClientTransport } = await import(
  v1 ? '@modelcontextprotocol/sdk/client/stdio.js' : '@modelcontextprotocol/client/stdio'
);

const text = 'grüße "x" '.repeat(Math.trunc((work === 'large' ? 1 << 20 : 100) / 12));
const begun = process.hrtime.bigint();
const client = new Client({ name: 'bench', version: '1' });
const options = { command: server, args: [], maxBufferSize: 64 << 20 };
await client.connect(new StdioClientTransport(options));
await client.listTools();

async function call() {
  const result = await client.callTool({ name: 'echo', arguments: { text } });
  if (result.content[0]?.text !== text) throw new Error('a wrong answer');
}

async function calls(until, times) {
  for (;;) {
    const begun = process.hrtime.bigint();
    if (begun >= until) return;
    await call();
    times.push(Number(process.hrtime.bigint() - begun) / 1e3);
  }
}

const times = [];
let cpu = process.cpuUsage();
let started = process.hrtime.bigint();
if (work === 'open') {
  times.push(Number(started - begun) / 1e3);
} else {
  for (let n = 0; n < (work === 'large' ? 4 : 2000); n += 1) await call();
  cpu = process.cpuUsage();
  started = process.hrtime.bigint();
  const until = started + BigInt(work === 'large' ? 1500e6 : 1000e6);
  const loops = work === 'parallel' ? IN_FLIGHT : 1;
  await Promise.all(Array.from({ length: loops }, () => calls(until, times)));
}
const took = Number(process.hrtime.bigint() - started) / 1e9;
const spent = process.cpuUsage(cpu);
times.sort((a, b) => a - b);
const at = (share) => times[Math.min(times.length - 1, Math.trunc(times.length * share))];
console.log(
  JSON.stringify({
    calls: times.length / took,
    p50: at(0.5),
    p99: at(0.99),
    cpu: (spent.user + spent.system) / times.length,
  }),
);
await client.close();
