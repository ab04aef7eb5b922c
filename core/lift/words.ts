/** What to write in a PyTorch program for each change. */
import type { ChangeWord } from './changes/words.ts';

export const codeOf: Readonly<Record<ChangeWord, string>> = {
  pin: 'batch = batch.pin_memory()  # once, where the tensor is made; in a DataLoader: pin_memory=True',
  'pin-each-step': 'batch = batch.pin_memory()  # in each step, before .to()',
  'non-blocking': 'x = batch.to(device, non_blocking=True)',
  'other-stream':
    'copying = torch.cuda.Stream()\nwith torch.cuda.stream(copying):\n    x = batch.to(device, non_blocking=True)\ntorch.cuda.current_stream().wait_stream(copying)\nx.record_stream(torch.cuda.current_stream())',
  prefetch: 'following = load()  # in the copy stream, before the step works on what was loaded a step ago',
  'remove-wait': 'total += loss.detach()  # and total.item() once, after the loop',
  'delay-wait': 'print(former.item()); former = loss.detach()  # a step later it is there without a wait',
  batch: 'torch.stack(samples, out=pinned); x = pinned.to(device, non_blocking=True)',
  'both-directions': 'with torch.cuda.stream(bringing_back):\n    host.copy_(result, non_blocking=True)',
  graph:
    'graph = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(graph):\n    step(x)\n# in the loop:\nx.copy_(batch, non_blocking=True); graph.replay()',
  'other-thread': 'loader = DataLoader(dataset, num_workers=1, prefetch_factor=2, pin_memory=True)',
  'double-buffer': 'buffers = [torch.empty_like(x), torch.empty_like(x)]  # one is filled while the other is worked on',
};
