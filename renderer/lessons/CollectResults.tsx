/** A class's results as a table, made from the students' files. They stay in this window. */
import { Button, Group, Modal, Text } from '@mantine/core';
import { IconTable, IconTableExport } from '@tabler/icons-react';
import { useState } from 'react';
import {
  type CollectedFile,
  cellText,
  type ResultsTable,
  requireResults,
  resultsCsv,
  resultsTable,
} from '../../core/apps/lessons/results.ts';
import { toErrorInfo } from '../../core/errors.ts';
import { chooseFiles, readFileText, saveBlob } from '../common/files.ts';
import { useLast } from '../common/hooks.ts';
import { notifyError } from '../store/notify.ts';
import classes from './Pages.module.css';

/** Far above the size of any student's file. */
const mostBytes = 4 * 1024 * 1024;

export function CollectResults() {
  const [table, setTable] = useState<ResultsTable | null>(null);
  const shown = useLast(table);
  const collect = async (files: readonly File[]): Promise<void> => {
    const read = await readAll(files);
    if (read.length > 0) setTable(resultsTable(read));
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTable size={15} aria-hidden />}
        onClick={() => chooseFiles('.json', (files) => void collect(files))}
      >
        Collect results
      </Button>
      <Modal opened={table !== null} onClose={() => setTable(null)} title="Results of a class" size="auto">
        {shown === null ? null : <Results table={shown} />}
      </Modal>
    </>
  );
}

/** Returns the readable files, and notifies about each of the others. */
async function readAll(files: readonly File[]): Promise<CollectedFile[]> {
  const read: CollectedFile[] = [];
  for (const file of files) {
    try {
      read.push({ file: file.name, results: requireResults(file.name, await readFileText(file, mostBytes)) });
    } catch (thrown) {
      notifyError(`${file.name} was left out`, toErrorInfo(thrown));
    }
  }
  return read;
}

function Results({ table }: { readonly table: ResultsTable }) {
  const { lessons, rows } = table;
  return (
    <>
      <Text size="sm" mb="sm">
        {rows.length === 1 ? 'One file' : `${rows.length} files`}. They are read here and kept nowhere.
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={classes['results']} aria-label="Table of results" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Done</th>
              {lessons.map(({ id, title }) => (
                <th key={id} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ who, done, cells }, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may bear one name.
              <tr key={row}>
                <th scope="row">{who}</th>
                <td className="tabular">{done}</td>
                {cells.map((cell, column) => (
                  <td key={lessons[column]?.id} data-none={cell === null || undefined}>
                    {cellText(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Group justify="flex-end" mt="md">
        <Button
          variant="default"
          leftSection={<IconTableExport size={15} aria-hidden />}
          onClick={() => saveBlob('lesson-results.csv', new Blob([resultsCsv(table)], { type: 'text/csv' }))}
        >
          Save as a table (.csv)
        </Button>
      </Group>
    </>
  );
}
