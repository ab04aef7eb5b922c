import { load } from './test/bench/support/window.mjs';
const { longExperiment } = await load('test/bench/support/longExperiment.ts');
const { resizeOperation } = await load('core/experiment/edit/resize.ts');
const { parseExperiment } = await load('core/experiment/parse.ts');
const { scoreLayout } = await load('renderer/score/scoreLayout.ts');
const { placeColumns } = await load('renderer/score/columns.ts');
const { predict, isLongerThan } = await load('renderer/predict/predict.ts');
const { lowerUnverified } = await load('core/program/lower.ts');
const { simulateRun } = await load('core/simulator/engine.ts');
const { indexIteration } = await load('renderer/app/loading/iterationData.ts');
const { laneCounters } = await load('core/analysis/laneCounters.ts');
const { parseProfile } = await load('core/simulator/profile.ts');
import { readFileSync } from 'node:fs';
const profile=parseProfile(JSON.parse(readFileSync('assets/profiles/h200.json')));
let e=parseExperiment(longExperiment(2000)).experiment;
const T={}; const time=(n,f)=>{const t=performance.now(); const r=f(); (T[n]??=[]).push(performance.now()-t); return r;};
for(let i=0;i<300;i++){ 
 e=time('resize',()=>resizeOperation(e,['threads',0,'operations',0],5000+(i%2)*1000).experiment);
 time('isLonger',()=>isLongerThan(4000,e));
 const program=time('lower',()=>lowerUnverified(e));
 const run=time('simulate',()=>simulateRun({experiment:e,program,profile:profile.name},profile,{machine:null,version:''},{maxInstructions:4000}));
 const rep=run.info.iterations.representative;
 time('index',()=>indexIteration(run.trace,rep));
 time('counters',()=>laneCounters(run,rep));
 const l=time('layout',()=>scoreLayout(e));
 time('columns',()=>placeColumns(l));
 if(i%10==0) await new Promise(r=>setTimeout(r,5));
}
for(const [n,a] of Object.entries(T)){const b=a.slice(100).sort((x,y)=>x-y);console.log(n.padEnd(12),b[0].toFixed(3),b[b.length>>1].toFixed(3),b[Math.floor(b.length*.9)].toFixed(3));}
