/** The building blocks of an experiment: operations to drag, templates, and declarations. */
import { useDraggable } from '@dnd-kit/core';
import { TextInput } from '@mantine/core';
import { IconSearch, IconTemplate } from '@tabler/icons-react';
import { useState } from 'react';
import { type Template, templates } from '../../core/experiment/templates/templates.ts';
import { currentExperiment } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import classes from './BuildPanel.module.css';
import { DeclarationLists } from './DeclarationLists.tsx';
import { wishFocus } from './editor.ts';
import { addAt, insertTemplate } from './edits.ts';
import { OperationIcon } from './OperationIcon.tsx';
import { matches, type OperationText, operationSections } from './operationTexts.ts';

export function BuildPanel() {
  const experiment = useApp(currentExperiment);
  const [query, setQuery] = useState('');
  if (experiment === null) return null;
  const sections = operationSections.map((section) => ({
    ...section,
    operations: section.operations.filter((one) => matches(one, query)),
  }));
  const found = templates.filter(({ title, summary }) =>
    `${title} ${summary}`.toLowerCase().includes(query.toLowerCase()),
  );
  return (
    <section className={classes['panel']} aria-label="Build">
      <TextInput
        className={classes['search'] ?? ''}
        size="xs"
        placeholder="Search operations"
        aria-label="Search operations"
        leftSection={<IconSearch size={14} aria-hidden />}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
      />
      <div className={classes['palette']}>
        {sections.map(({ title, operations }) =>
          operations.length === 0 ? null : (
            <section key={title} aria-label={title}>
              <h3>{title}</h3>
              <ul>
                {operations.map((one) => (
                  <PaletteOperation key={one.name} operation={one} />
                ))}
              </ul>
            </section>
          ),
        )}
        {found.length === 0 && sections.every(({ operations }) => operations.length === 0) ? (
          <p className={classes['hint']}>No operation or template has that name.</p>
        ) : null}
        {found.length === 0 ? null : (
          <section aria-label="Templates">
            <h3>Templates</h3>
            <ul>
              {found.map((one) => (
                <PaletteTemplate key={one.id} template={one} />
              ))}
            </ul>
          </section>
        )}
      </div>
      <DeclarationLists experiment={experiment} />
    </section>
  );
}

function PaletteOperation({ operation }: { readonly operation: OperationText }) {
  const { name, title, summary } = operation;
  const drag = useDraggable({ id: `new:${name}`, data: { kind: 'operation', name, label: title } });
  return (
    <li>
      <button
        ref={drag.setNodeRef}
        {...drag.listeners}
        type="button"
        title={`${summary}. Drag it into the score, or click to put it at the cursor.`}
        onClick={() => {
          wishFocus();
          void addAt(name);
        }}
      >
        <OperationIcon kind={name} />
        {title}
      </button>
    </li>
  );
}

function PaletteTemplate({ template }: { readonly template: Template }) {
  const { id, title, summary } = template;
  const drag = useDraggable({ id: `template:${id}`, data: { kind: 'template', id, label: title } });
  return (
    <li className={classes['wide'] ?? ''}>
      <button
        ref={drag.setNodeRef}
        {...drag.listeners}
        type="button"
        title={summary}
        onClick={() => {
          wishFocus();
          void insertTemplate(template);
        }}
      >
        <IconTemplate size={13} aria-hidden />
        {title}
      </button>
    </li>
  );
}
