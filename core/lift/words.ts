/** Texts on how to make each change in a PyTorch program. */
import type { ChangeWord } from './changes/words.ts';

/** Short instruction for each change. */
export const changeTitles: Readonly<Record<ChangeWord, string>> = {
  pin: 'Pin memory once',
  'pin-each-step': 'Pin memory in each step',
  'non-blocking': 'Copy without blocking',
  'other-stream': 'Copy in another stream',
  prefetch: 'Prefetch one step ahead',
  'remove-wait': 'Remove waits',
  'delay-wait': 'Wait a step later',
  batch: 'Join small copies',
  'both-directions': 'Copy both directions at once',
  graph: 'Capture kernels in a graph',
  'other-thread': "Do the host's own work in another thread or process",
  'double-buffer': 'Use two buffers',
  'keep-on-device': 'Keep the data on the device',
  'move-to-device': 'Run these operators on the device',
  'send-smaller': 'Copy the smaller type, convert on the device',
  'load-in-workers': 'Load in enough worker processes',
  'keep-memory': 'Keep memory allocated',
  'overlap-communication': 'Overlap communication with kernels',
};

export const codeOf: Readonly<Record<ChangeWord, string>> = {
  'keep-on-device': 'weight = weight.to(device)  # once, before the loop; the forward uses it as it is',
  'move-to-device':
    'token = torch.multinomial(logits.softmax(-1), 1)  # on the device; copy the result alone, once it is needed',
  'send-smaller': 'x = images.to(device, non_blocking=True).float().div_(255)  # uint8 is copied, the device converts',
  'load-in-workers':
    'loader = DataLoader(dataset, batch_size, num_workers=8, pin_memory=True, persistent_workers=True)',
  'keep-memory':
    'buffer = torch.empty(shape, device=device)  # once, before the loop; no empty_cache() and no pin_memory() in it',
  'overlap-communication':
    'model = DistributedDataParallel(model, bucket_cap_mb=25)  # buckets are reduced while the backward pass goes on',
  pin: 'batch = torch.empty(shape, pin_memory=True)  # once, then filled in each step; in a DataLoader: pin_memory=True, and a batch of a class of its own has a method pin_memory()',
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
  'other-thread':
    'loader = DataLoader(dataset, num_workers=1, prefetch_factor=2, pin_memory=True)  # for results: executor.submit(log, host)',
  'double-buffer': 'buffers = [torch.empty_like(x), torch.empty_like(x)]  # one is filled while the other is worked on',
};
