import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { Component, type ErrorInfo, type ReactNode } from 'react';

interface Props {
  /** Name of the part that may fail, such as 'The timeline'. */
  readonly area: string;
  readonly children: ReactNode;
}

/** Confines a fault to one part of the window, which shows it and can be drawn again. */
export class ErrorBoundary extends Component<Props, { fault: Error | null; stack: string }> {
  override state: { fault: Error | null; stack: string } = { fault: null, stack: '' };

  static getDerivedStateFromError(fault: unknown): { fault: Error } {
    return { fault: fault instanceof Error ? fault : new Error(String(fault)) };
  }

  override componentDidCatch(_fault: Error, info: ErrorInfo): void {
    this.setState({ stack: info.componentStack ?? '' });
  }

  override render(): ReactNode {
    const { fault, stack } = this.state;
    if (fault === null) return this.props.children;
    return (
      <Stack role="alert" p="xl" gap="sm" align="flex-start" style={{ overflow: 'auto', height: '100%' }}>
        <Title order={2} size="h4">
          {this.props.area} could not be drawn
        </Title>
        <Text maw={640}>
          This is a fault in Copyscope. Your experiments and runs are safe: they are kept by the host, not by this
          window.
        </Text>
        <Group gap="xs">
          <Button leftSection={<IconRefresh size={16} />} onClick={() => this.setState({ fault: null, stack: '' })}>
            Draw it again
          </Button>
          <Button variant="default" onClick={() => location.reload()}>
            Reload the window
          </Button>
        </Group>
        <Code block maw="100%">
          {fault.message}
          {stack}
        </Code>
      </Stack>
    );
  }
}
